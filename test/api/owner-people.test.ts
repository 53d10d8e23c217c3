import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { decodeJwt } from 'jose'
import { assertEnded, tryLogIn, tryRefresh } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, del, get, PASSWORD, type Person, post, signUp } from '../support/api.ts'
import { signUpOwner } from '../support/owners.ts'
import { onBothEngines } from '../support/service.ts'

const IN_A_YEAR = new Date(Date.now() + 365 * 24 * 60 * 60_000).toISOString()

describe("the owner's desk", () => {
  onBothEngines((service) => {
    const list = async (as: Person, query: Record<string, string> = {}) => {
      const response = await get(service, `/api/owner/people?${new URLSearchParams(query)}`, { as })
      assertSucceeded(response)
      return response.body.data as { people: { userId: string; email: string }[]; next: string | null }
    }
    const suspend = (as: Person, userId: string, until = IN_A_YEAR) =>
      post(service, '/api/owner/person/suspend', { userId, until, reason: 'Advertising' }, { as })

    it('lists people in pages, newest first, each once', async () => {
      const owner = await signUpOwner(service)
      const people = [await signUp(service), await signUp(service), await signUp(service)]
      const seen: string[] = []
      let next: string | null = null
      do {
        const page = await list(owner, { limit: '2', ...(next && { after: next }) })
        seen.push(...page.people.map(({ userId }) => userId))
        next = page.next
      } while (next)
      assert.equal(new Set(seen).size, seen.length)
      const positions = [...people.toReversed(), owner].map(({ userId }) => seen.indexOf(userId))
      assert.deepEqual(
        positions.toSorted((a, b) => a - b),
        positions,
      )
      assert.ok(!positions.includes(-1))
    })

    it('finds people by the beginning of address, username, name and last name, each once', async () => {
      const owner = await signUpOwner(service)
      const mark = `q${randomUUID().slice(0, 8)}`
      const byEmail = await signUp(service, { email: `${mark}@example.com` })
      const byName = await signUp(service, { firstName: mark.toUpperCase(), lastName: 'Hopper' })
      const byLastName = await signUp(service, { firstName: 'Grace', lastName: `${mark}-Hopper` })
      const others = await signUp(service, { firstName: 'Grace', lastName: `x${mark}` })
      const seen: string[] = []
      let next: string | null = null
      do {
        const page = await list(owner, { search: mark, limit: '1', ...(next && { after: next }) })
        seen.push(...page.people.map(({ userId }) => userId))
        next = page.next
      } while (next)
      assert.deepEqual(
        seen,
        [byEmail, byName, byLastName].map(({ userId }) => userId),
      )
      assert.ok(!seen.includes(others.userId))
    })

    for (const after of ['x', 'WzAsInhcdTAwMDAiLCIzIl0', Buffer.from('[9,1,"x"]').toString('base64url')]) {
      it(`refuses the cursor ${after}`, async () => {
        const owner = await signUpOwner(service)
        assertRefused(await get(service, `/api/owner/people?after=${after}`, { as: owner }), 400, 'Validation failed')
      })
    }

    it('suspends a person: sessions end, the log-in says so, and lifting ends it', async () => {
      const owner = await signUpOwner(service)
      const person = await signUp(service)
      assertSucceeded(await suspend(owner, person.userId))
      await assertEnded(service, person)
      const refused = await tryLogIn(service, person.email, PASSWORD)
      assertRefused(refused, 403, 'Your account is suspended')
      assert.equal(refused.body.code, 'account_suspended')
      assert.deepEqual(refused.body.data, { suspendedUntil: IN_A_YEAR, reason: 'Advertising' })
      assertRefused(await tryLogIn(service, person.email, 'Wrong-Password-9'), 401, 'Invalid email or password')
      const { people } = await list(owner, { filter: 'suspended', limit: '100' })
      assert.ok(people.some(({ userId }) => userId === person.userId))

      const lift = { userId: person.userId }
      assertSucceeded(await post(service, '/api/owner/person/lift-suspension', lift, { as: owner }))
      assertSucceeded(await tryLogIn(service, person.email, PASSWORD))
    })

    it('ends a suspension by itself at its time', async () => {
      const owner = await signUpOwner(service)
      const person = await signUp(service)
      assertSucceeded(await suspend(owner, person.userId))
      await service.portico.database.query
        .updateTable('users')
        .set({ suspended_until: service.portico.database.now })
        .where('id', '=', person.userId)
        .execute()
      assertSucceeded(await tryLogIn(service, person.email, PASSWORD))
    })

    it('refuses a suspension that ends in the past', async () => {
      const owner = await signUpOwner(service)
      const person = await signUp(service)
      assertRefused(await suspend(owner, person.userId, '2020-01-01T00:00:00.000Z'), 400)
      assertSucceeded(await tryLogIn(service, person.email, PASSWORD))
    })

    it('shows a person what an owner did, and writes the audit log', async () => {
      const owner = await signUpOwner(service)
      const person = await signUp(service)
      assertSucceeded(await suspend(owner, person.userId))
      const { body } = await get(service, `/api/owner/person?userId=${person.userId}`, { as: owner })
      assert.equal(body.data.events[0].type, 'account.suspended')
      assert.equal(body.data.person.suspensionReason, 'Advertising')
      assert.deepEqual(body.data.sessions, [])
      const rows = await service.portico.database.query
        .selectFrom('owner_actions')
        .select(['owner_id', 'action'])
        .where('user_id', '=', person.userId)
        .execute()
      assert.deepEqual(
        rows.map((row) => ({ ...row })),
        [{ owner_id: owner.userId, action: 'person.suspended' }],
      )
    })

    it('never changes or deletes a row of the audit log', async () => {
      await signUpOwner(service)
      const { query } = service.portico.database
      await assert.rejects(query.updateTable('owner_actions').set({ details: '{}' }).execute(), /append-only/)
      await assert.rejects(query.deleteFrom('owner_actions').execute(), /append-only/)
    })

    it('deletes a person whose address is given, and nobody otherwise', async () => {
      const owner = await signUpOwner(service)
      const person = await signUp(service)
      const remove = (email: string) =>
        del(service, '/api/owner/person', { userId: person.userId, email }, { as: owner })
      assertRefused(await remove('other@example.com'), 400)
      assertSucceeded(await remove(person.email))
      await assertEnded(service, person)
      assertRefused(await remove(person.email), 404, 'There is no such person')
    })

    it('has the role in the access token, after a log-in and after a refresh', async () => {
      const owner = await signUpOwner(service)
      const { body } = await tryLogIn(service, owner.email, PASSWORD)
      assert.equal(decodeJwt(body.data.accessToken).role, 'owner')
      const refreshed = await tryRefresh(service, owner)
      assert.equal(decodeJwt(refreshed.body.data.accessToken).role, 'owner')
      assert.equal(decodeJwt((await signUp(service)).accessToken).role, 'member')
    })

    it('makes a person an owner and a member again, at once', async () => {
      const owner = await signUpOwner(service)
      const person = await signUp(service)
      const change = (role: string) =>
        post(service, '/api/owner/person/role', { userId: person.userId, role }, { as: owner })
      assertSucceeded(await change('owner'))
      await list(person)
      assertSucceeded(await change('member'))
      assertRefused(await get(service, '/api/owner/people', { as: person }), 404, 'Not found')
    })
  })
})
