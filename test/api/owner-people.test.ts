import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { decodeJwt } from 'jose'
import { assertAlive, assertEnded, register, reset, tryLogIn, tryRefresh } from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  codeFor,
  del,
  get,
  logIn,
  mailsTo,
  newEmail,
  PASSWORD,
  type Person,
  post,
  signUp,
} from '../support/api.ts'
import { IN_A_YEAR, signUpOwner } from '../support/owners.ts'
import { onBothEngines } from '../support/service.ts'

describe("the owner's desk", () => {
  onBothEngines((service) => {
    const list = async (as: Person, query: Record<string, string> = {}) => {
      const response = await get(service, `/api/owner/people?${new URLSearchParams(query)}`, { as })
      assertSucceeded(response)
      return response.body.data as { people: { userId: string; email: string }[]; next: string | null }
    }
    const suspend = (as: Person, userId: string, until = IN_A_YEAR) =>
      post(service, '/api/owner/person/suspend', { userId, until, reason: 'Advertising' }, { as })

    it('mails nothing to an address that is not verified when it resets the factors or deletes the account', async () => {
      const owner = await signUpOwner(service)
      const { email } = await register(service, { firstName: 'Visit evil.example' })
      const [stranger] = (await list(owner, { search: email })).people
      assert.equal(stranger?.email, email)
      const before = await mailsTo(service, email)
      const body = { userId: stranger?.userId }
      assertSucceeded(await post(service, '/api/owner/person/reset-factors', body, { as: owner }))
      assertSucceeded(await del(service, '/api/owner/person', { ...body, email }, { as: owner }))
      const after = await mailsTo(service, email)
      assert.deepEqual(
        after.filter(({ text }) => text.includes('evil')),
        [],
      )
      assert.ok(after.length <= before.length)
    })

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
      assert.equal(body.data.events[0].type, 'suspension.started')
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

    it('creates a person, who signs in with a mailed code', async () => {
      const owner = await signUpOwner(service)
      const email = newEmail()
      const create = () => post(service, '/api/owner/people', { email, firstName: 'Grace' }, { as: owner })
      assertSucceeded(await create(), 201)
      assertRefused(await create(), 409, 'Email already registered')
      assertSucceeded(await post(service, '/api/log-in/code', { email }))
      const code = await codeFor(service, email)
      assertSucceeded(await post(service, '/api/log-in/code/verify', { email, code }))
    })

    it('verifies, renames, signs out and mails a person', async () => {
      const owner = await signUpOwner(service)
      const { userId, email, password } = await register(service)
      const act = (path: string, body: object = {}) =>
        post(service, `/api/owner/person/${path}`, { userId, ...body }, { as: owner })
      assertSucceeded(await act('verify'))
      assertSucceeded(await tryLogIn(service, email, password as string))
      const username = `u${randomUUID().slice(0, 8)}`
      assertSucceeded(await act('username', { username }))
      assertRefused(await act('username', { username: 'admin' }), 409, 'Username is already taken')
      const ended = await act('end-sessions')
      assert.deepEqual(ended.body.data, { ended: 1 })
      assertSucceeded(await act('reset-mail'))
      assertSucceeded(await reset(service, email, await codeFor(service, email)))

      const { body } = await get(service, `/api/owner/audit?userId=${userId}&limit=2`, { as: owner })
      const rest = await get(service, `/api/owner/audit?userId=${userId}&after=${body.data.next}`, { as: owner })
      const actions = [...body.data.actions, ...rest.body.data.actions]
      assert.deepEqual(
        actions.map(({ action }) => action),
        ['person.reset-mailed', 'person.sessions-ended', 'person.renamed', 'person.verified'],
      )
      assert.deepEqual(actions[0].owner, { userId: owner.userId, email: owner.email })
      assert.deepEqual(actions[0].person, { userId, email })
    })

    it('ends one session of a person, and no other', async () => {
      const owner = await signUpOwner(service)
      const person = await signUp(service)
      const other = await logIn(service, person)
      const end = ({ userId }: Person, { sessionId }: Pick<Person, 'sessionId'>) =>
        post(service, '/api/owner/person/end-session', { userId, sessionId }, { as: owner })
      assertRefused(await end(owner, other), 404, 'Session not found')
      assert.deepEqual((await end(person, other)).body.data, { sessionId: other.sessionId })
      assertRefused(await end(person, other), 404, 'Session not found')
      await assertEnded(service, other)
      await assertAlive(service, person)
      const { body } = await get(service, '/api/security-events', { as: person })
      assert.equal(body.data.events[0].type, 'session.ended-by-owner')
      const audit = await get(service, `/api/owner/audit?userId=${person.userId}`, { as: owner })
      const [{ action, details }] = audit.body.data.actions
      assert.deepEqual([action, JSON.parse(details)], ['person.session-ended', { sessionId: other.sessionId }])
    })

    it('removes the factors of a person who has lost them', async () => {
      const owner = await signUpOwner(service)
      const person = await signUp(service)
      const { query } = service.portico.database
      await query.updateTable('users').set({ second_factor_required: 1 }).where('id', '=', person.userId).execute()
      await query.insertInto('recovery_codes').values({ user_id: person.userId, hash: 'x' }).execute()
      assertRefused(await tryLogIn(service, person.email, PASSWORD), 403, 'Please enter your second factor')
      const body = { userId: person.userId }
      assertSucceeded(await post(service, '/api/owner/person/reset-factors', body, { as: owner }))
      await assertEnded(service, person)
      assertSucceeded(await tryLogIn(service, person.email, PASSWORD))
    })
  })
})
