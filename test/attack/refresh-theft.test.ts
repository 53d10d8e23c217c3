import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeJwt } from 'jose'
import {
  assertAlive,
  assertEnded,
  crowd,
  everythingStored,
  refreshed,
  someone,
  tryRefresh,
} from '../support/accounts.ts'
import { assertRefused, assertSucceeded, eventTypes, logIn, post } from '../support/api.ts'
import { onBothEngines, startOn, temporaryDatabase } from '../support/service.ts'

const INVALID = 'Invalid or expired refresh token'
const CONCURRENCY = 64

describe('the exchange of a refresh token that may have been copied', () => {
  onBothEngines((service, engine) => {
    it('returns the same successor for the token just replaced', async () => {
      const person = await someone(service)
      const next = await refreshed(service, person)
      for (let again = 0; again < 3; again++) {
        const repeated = await refreshed(service, person)
        assert.equal(repeated.refreshToken, next.refreshToken)
        await assertAlive(service, repeated)
      }
      await refreshed(service, next)
    })

    it('returns it for 25 seconds', async () => {
      const person = await someone(service)
      const next = await refreshed(service, person)
      // The grace is 30 seconds. A busy machine may take some of them for the calls between.
      await service.advanceTime({ seconds: 25 })
      const repeated = await refreshed(service, person)
      assert.equal(decodeJwt(repeated.refreshToken).jti, decodeJwt(next.refreshToken).jti)
      await assertAlive(service, next)
    })

    it('ends the session, and only that one, when a replaced token is used after 30 seconds', async () => {
      const [person, otherUser] = await crowd(service, 2)
      assert.ok(person && otherUser)
      const other = await logIn(service, person)
      const next = await refreshed(service, person)
      await service.advanceTime({ seconds: 31 })
      assertRefused(await tryRefresh(service, person), 401, INVALID)
      await assertEnded(service, next)
      await assertEnded(service, person)
      await assertAlive(service, other)
      await assertAlive(service, otherUser)
      await refreshed(service, other)
      const reuses = (await eventTypes(service, other)).filter((type) => type === 'session.token-reused')
      assert.equal(reuses.length, 1)
    })

    it('ends the session at once when a token is used that was replaced before the last exchange', async () => {
      const person = await someone(service)
      const latest = await refreshed(service, await refreshed(service, person))
      assertRefused(await tryRefresh(service, person), 401, INVALID)
      await assertEnded(service, latest)
    })

    it('ends the session also when the service was restarted in between', async (t) => {
      const env = await temporaryDatabase(t, engine)
      const first = await startOn(env)
      const person = await someone(first)
      const other = await logIn(first, person)
      const next = await refreshed(first, person)
      await first.advanceTime({ seconds: 31 })
      await first.close()

      const second = await startOn(env)
      try {
        assertRefused(await tryRefresh(second, person), 401, INVALID)
        await assertEnded(second, next)
        await assertAlive(second, other)
        assert.equal((await eventTypes(second, other))[0], 'session.token-reused')
      } finally {
        await second.close()
      }
    })

    it('is refused after a log-out, which is not recorded as theft', async () => {
      const person = await someone(service)
      const other = await logIn(service, person)
      assertSucceeded(await post(service, '/api/auth/logout', undefined, { as: person }))
      assertRefused(await tryRefresh(service, person), 401, INVALID)
      assert.equal((await eventTypes(service, other))[0], 'session.ended')
    })

    it('stores no token in the database', async () => {
      const person = await refreshed(service, await someone(service))
      const stored = JSON.stringify(await everythingStored(service))
      assert.ok(stored.includes(person.sessionId))
      for (const token of [person.refreshToken, person.accessToken]) assert.ok(!stored.includes(token))
    })

    it(`returns one successor to ${CONCURRENCY} concurrent clients`, async () => {
      const person = await someone(service)
      const responses = await Promise.all(Array.from({ length: CONCURRENCY }, () => tryRefresh(service, person)))
      for (const response of responses) assertSucceeded(response)
      const successors = new Set<string>(responses.map(({ body }) => body.data.refreshToken))
      assert.equal(successors.size, 1)

      const [successor = ''] = successors
      const session = await service.portico.database.query
        .selectFrom('sessions')
        .select(['refresh_id', 'previous_refresh_id'])
        .where('user_id', '=', person.userId)
        .executeTakeFirstOrThrow()
      assert.notEqual(session.refresh_id, session.previous_refresh_id)
      assert.equal(session.refresh_id, decodeJwt(successor).jti)
      assert.equal(session.previous_refresh_id, decodeJwt(person.refreshToken).jti)
      await assertAlive(service, person)
      for (const { body } of responses) await assertAlive(service, { ...person, ...body.data })
      assertSucceeded(await tryRefresh(service, { ...person, refreshToken: successor }))
    })
  })
})
