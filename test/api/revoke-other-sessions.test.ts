import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  assertAlive,
  assertEnded,
  assertNow,
  crowd,
  listedSession,
  someone,
  tryLogIn,
  tryRefresh,
} from '../support/accounts.ts'
import {
  assertHandled,
  assertRefused,
  assertSucceeded,
  type Credentials,
  call,
  del,
  get,
  logIn,
  mailsTo,
  type Person,
  post,
  signUp,
} from '../support/api.ts'
import { forgedToken, inSeconds } from '../support/forged-tokens.ts'
import { onBothEngines } from '../support/service.ts'

describe('DELETE /api/sessions/others', () => {
  onBothEngines((service) => {
    const revokeOthers = (as: Credentials) => del(service, '/api/sessions/others', undefined, { as })
    const logInTimes = (count: number, person: Person) =>
      Promise.all(Array.from({ length: count }, () => logIn(service, person)))

    async function assertRevoked(as: Credentials, revoked: number): Promise<void> {
      const response = await revokeOthers(as)
      assertSucceeded(response)
      assert.equal(response.body.message, 'Other sessions revoked successfully')
      assert.deepEqual(response.body.data, { revoked })
    }

    const eventsOf = async (as: Credentials) => {
      const response = await get(service, '/api/security-events?limit=100', { as })
      assertSucceeded(response)
      return response.body.data.events.filter(({ type }: { type: string }) => type === 'sessions.revoked')
    }

    const endOf = async ({ sessionId }: Person) => {
      const { query } = service.portico.database
      const row = query.selectFrom('sessions').select('revoked_at').where('id', '=', sessionId)
      return (await row.executeTakeFirstOrThrow()).revoked_at
    }

    it('ends every other session at once, with both of its tokens, and keeps the session of the request', async () => {
      const person = await signUp(service)
      const others = await logInTimes(3, person)
      for (const other of others) await assertAlive(service, other)
      await assertRevoked(person, 3)
      for (const other of others) {
        await assertEnded(service, other)
        assertNow((await listedSession(service, person, other)).revokedAt)
      }
      await assertAlive(service, person)
      assert.equal((await listedSession(service, person, person)).revokedAt, null)
      assertSucceeded(await tryRefresh(service, person))
    })

    it('works from any session, not only the first', async () => {
      const person = await signUp(service)
      const [one, two] = await logInTimes(2, person)
      assert.ok(one && two)
      await assertRevoked(two, 2)
      await assertEnded(service, person)
      await assertEnded(service, one)
      await assertAlive(service, two)
      await logIn(service, person)
    })

    it('adds one security event, with the session of the request, and sends no mail', async () => {
      const person = await someone(service)
      await logInTimes(2, person)
      const mails = await mailsTo(service, person.email)
      await assertRevoked(person, 2)
      const events = await eventsOf(person)
      assert.equal(events.length, 1)
      assert.equal(events[0].sessionId, person.sessionId)
      assertNow(events[0].createdAt)
      assert.deepEqual(await mailsTo(service, person.email), mails)
    })

    it('responds with 0 and adds no event when there is no other', async () => {
      const person = await someone(service)
      await assertRevoked(person, 0)
      assert.deepEqual(await eventsOf(person), [])
      await logIn(service, person)
      await assertRevoked(person, 1)
      await assertRevoked(person, 0)
      assert.equal((await eventsOf(person)).length, 1)
      await assertAlive(service, person)
    })

    it('does not affect the sessions and events of other users', async () => {
      const [person, otherUser] = await crowd(service, 2)
      assert.ok(person && otherUser)
      const theirs = await logIn(service, otherUser)
      await logIn(service, person)
      await assertRevoked(person, 1)
      for (const session of [otherUser, theirs]) await assertAlive(service, session)
      assert.deepEqual(await eventsOf(otherUser), [])
    })

    it('does not change sessions that have ended or expired before', async () => {
      const person = await someone(service)
      const [loggedOut, revoked, expired, active] = await logInTimes(4, person)
      assert.ok(loggedOut && revoked && expired && active)
      assertSucceeded(await post(service, '/api/auth/logout', undefined, { as: loggedOut }))
      assertSucceeded(await del(service, '/api/sessions', { sessionId: revoked.sessionId }, { as: person }))
      await service.advanceTime({ hours: 1 })
      const { query } = service.portico.database
      await query.updateTable('sessions').set({ expires_at: 1 }).where('id', '=', expired.sessionId).execute()
      const gone = [loggedOut, revoked, expired]
      const before = await Promise.all(gone.map(endOf))

      await assertRevoked(person, 1)
      assert.deepEqual(await Promise.all(gone.map(endOf)), before)
      assert.equal(before[2], null)
      await assertEnded(service, active)
    })

    it('ignores a body and a query', async () => {
      const person = await someone(service)
      const other = await logIn(service, person)
      const body = { sessionId: person.sessionId, except: other.sessionId }
      const path = `/api/sessions/others?sessionId=${person.sessionId}`
      assertSucceeded(await call(service, 'DELETE', path, body, { as: person }))
      await assertEnded(service, other)
      await assertAlive(service, person)
    })

    it('requires a session', async () => {
      const [person, otherUser] = await crowd(service, 2)
      assert.ok(person && otherUser)
      const [other, ended] = await logInTimes(2, person)
      assert.ok(other && ended)
      assertSucceeded(await post(service, '/api/auth/logout', undefined, { as: ended }))
      assertRefused(await del(service, '/api/sessions/others'), 401)
      const expired = await forgedToken(service, person, { claims: { exp: inSeconds(-1) } })
      for (const as of [
        ended,
        { ...person, accessToken: 'x' },
        { ...person, accessToken: expired },
        { ...person, sessionId: other.sessionId },
        { ...otherUser, sessionId: person.sessionId },
      ]) {
        const response = await revokeOthers(as)
        assertRefused(response, 401)
        assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer/)
      }
      await assertAlive(service, other)
      assert.deepEqual(await eventsOf(person), [])
    })

    it('leaves no half-ended session of concurrent log-ins', async () => {
      const person = await someone(service)
      const old = await logInTimes(2, person)
      const logIns = () => Array.from({ length: 8 }, () => tryLogIn(service, person.email, person.password))
      const early = logIns()
      const revocation = revokeOthers(person)
      const responses = await Promise.all([...early, ...logIns()])
      const response = await revocation
      assertSucceeded(response)

      for (const session of old) await assertEnded(service, session)
      let ended = old.length
      for (const { status, body } of responses) {
        assert.equal(status, 200)
        const session = { ...person, ...body.data, sessionId: body.data.session.sessionId }
        const isEnded = (await endOf(session)) !== null
        if (isEnded) await assertEnded(service, session)
        else await assertAlive(service, session)
        ended += Number(isEnded)
      }
      assert.equal(response.body.data.revoked, ended)
      await assertAlive(service, person)
    })

    it('ends sessions that get new tokens at the same moment', async () => {
      const person = await someone(service)
      const others = await logInTimes(4, person)
      const refreshes = others.map((other) => tryRefresh(service, other))
      await assertRevoked(person, 4)
      for (const [number, response] of (await Promise.all(refreshes)).entries()) {
        assertHandled(response, [200, 401])
        await assertEnded(service, { ...(others[number] as Person), ...response.body.data })
      }
    })

    it('is refused to a session that is ended before the write', async (t) => {
      const person = await someone(service)
      const other = await logIn(service, person)
      const { database } = service.portico
      const { transaction } = database
      const delayedTransaction: typeof transaction = async (work) => {
        const { query, now } = database
        await query.updateTable('sessions').set({ revoked_at: now }).where('id', '=', other.sessionId).execute()
        return transaction(work)
      }
      const { mock } = t.mock.method(database, 'transaction', delayedTransaction)
      assertRefused(await revokeOthers(other), 401)
      assert.equal(mock.callCount(), 1)
      await assertAlive(service, person)
      assert.deepEqual(await eventsOf(person), [])
    })

    it('leaves one session when two of them call it at the same moment', async () => {
      const person = await someone(service)
      const other = await logIn(service, person)
      const responses = await Promise.all([revokeOthers(person), revokeOthers(other)])
      for (const response of responses) assertHandled(response, [200, 401])
      const ends = await Promise.all([endOf(person), endOf(other)])
      assert.equal(ends.filter((end) => end === null).length, 1)
      await assertAlive(service, ends[0] === null ? person : other)
      assert.equal((await eventsOf(ends[0] === null ? person : other)).length, 1)
    })
  })
})
