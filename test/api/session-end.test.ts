import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { assertAlive, assertEnded, assertNow, listedSession } from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  del,
  eventTypes,
  fieldsOf,
  get,
  logIn,
  type Person,
  post,
  signUp,
} from '../support/api.ts'
import { onBothEngines } from '../support/service.ts'

const DAY_MS = 24 * 3_600_000

describe('the end of a session', () => {
  onBothEngines((service) => {
    const revoke = (as: Person, sessionId?: unknown) => del(service, '/api/sessions', { sessionId }, { as })
    const logOut = (as: Person) => post(service, '/api/auth/logout', undefined, { as })

    it('takes effect at once when another session revokes it, and is listed with its time', async () => {
      const person = await signUp(service)
      const other = await logIn(service, person)
      await assertAlive(service, other)
      const response = await revoke(person, other.sessionId)
      assertSucceeded(response)
      assert.deepEqual(response.body.data, { sessionId: other.sessionId })
      await assertEnded(service, other)
      await assertAlive(service, person)
      const { revokedAt } = await listedSession(service, person, other)
      assertNow(revokedAt)
      await service.portico.activity.flush()
      assert.equal((await listedSession(service, person, other)).revokedAt, revokedAt)
      assert.equal((await eventTypes(service, person))[0], 'session.revoked')
    })

    it('ends no other of many sessions that are used at the same time', async () => {
      const people = await Promise.all(Array.from({ length: 4 }, () => signUp(service)))
      const sessions = [...people, ...(await Promise.all(people.map((person) => logIn(service, person))))]
      const [ended, ...active] = sessions as [Person, ...Person[]]
      await logOut(ended)
      const read = (as: Person) => get(service, '/api/user-details', { as })
      const responses = await Promise.all(Array.from({ length: 5 }, () => sessions.map(read)).flat())
      for (const [index, { status, body }] of responses.entries()) {
        const as = sessions[index % sessions.length] as Person
        if (as === ended) assert.equal(status, 401)
        else assert.deepEqual([status, body.data.user.email], [200, as.email])
      }
      assert.equal(responses.filter(({ status }) => status === 200).length, 5 * active.length)
    })

    it('is refused for the current session', async () => {
      const person = await signUp(service)
      assertRefused(await revoke(person, person.sessionId), 400, 'Cannot revoke your current session')
      await assertAlive(service, person)
      assert.equal((await listedSession(service, person, person)).revokedAt, null)
    })

    it('is refused for a session that is unknown, ended, expired or of another user', async () => {
      const [person, otherUser] = [await signUp(service), await signUp(service)]
      const [ended, expired] = [await logIn(service, person), await logIn(service, person)]
      await logOut(ended)
      const { query } = service.portico.database
      await query.updateTable('sessions').set({ expires_at: 1 }).where('id', '=', expired.sessionId).execute()
      const events = await eventTypes(service, person)
      const ids = [randomUUID(), 'no-such-session', "' or 1=1 --"]
      for (const id of [...ids, ended.sessionId, expired.sessionId, otherUser.sessionId]) {
        assertRefused(await revoke(person, id), 404, 'Session not found')
      }
      await assertAlive(service, otherUser)
      assert.deepEqual(await eventTypes(service, person), events)
    })

    describe('with an invalid session id', () => {
      let person: Person
      let other: Person
      before(async () => {
        person = await signUp(service)
        other = await logIn(service, person)
      })
      for (const value of [undefined, null, '', 7, [randomUUID()], { $ne: 1 }]) {
        it(`is refused for ${JSON.stringify(value) ?? 'no id'}`, async () => {
          const response = await revoke(person, value)
          assertRefused(response, 400, 'Validation failed')
          assert.deepEqual(Object.keys(fieldsOf(response)), ['sessionId'])
          await assertAlive(service, other)
        })
      }
    })

    it('takes effect with a log-out, is listed with its time, and leaves the other sessions', async () => {
      const person = await signUp(service)
      const other = await logIn(service, person)
      const response = await logOut(person)
      assertSucceeded(response)
      assert.ok(!('data' in response.body))
      await assertEnded(service, person)
      assertRefused(await logOut(person), 401)
      await assertAlive(service, other)
      assertNow((await listedSession(service, other, person)).revokedAt)
      assert.deepEqual((await eventTypes(service, other)).slice(0, 1), ['session.ended'])
    })

    it('takes effect after 30 days without a refresh, and is listed with its time', async () => {
      const person = await signUp(service)
      await service.advanceTime({ days: 29, hours: 23 })
      await assertAlive(service, person)
      await service.advanceTime({ hours: 1, seconds: 1 })
      await assertEnded(service, person)
      const session = await listedSession(service, await logIn(service, person), person)
      assert.equal(Date.parse(session.revokedAt ?? '') - Date.parse(session.createdAt), 30 * DAY_MS)
    })
  })
})
