import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeJwt } from 'jose'
import { assertAlive, assertEnded, listedSession, refreshed, someone, tryRefresh } from '../support/accounts.ts'
import { assertRefused, del, eventTypes, logIn, type Person } from '../support/api.ts'
import { logInOnPages } from '../support/page-visitor.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const DAY_SECONDS = 24 * 60 * 60

/** The lifetime of a token in seconds when it is issued. */
function secondsOf(token: string): number {
  const { iat = 0, exp = 0 } = decodeJwt(token)
  return exp - iat
}

describe('a session', () => {
  onBothEngines(
    (service) => {
      it('ends 40 days after it began, however often it is refreshed', async () => {
        let person = await someone(service)
        assert.equal(secondsOf(person.refreshToken), 30 * DAY_SECONDS)
        await service.advanceTime({ days: 25 })
        person = await refreshed(service, person)
        assert.ok(Math.abs(secondsOf(person.refreshToken) - 15 * DAY_SECONDS) < 60)
        await service.advanceTime({ days: 14, hours: 23 })
        person = await refreshed(service, person)
        assert.ok(Math.abs(secondsOf(person.refreshToken) - DAY_SECONDS / 24) < 60)
        await assertAlive(service, person)
        await service.advanceTime({ hours: 1 })
        await assertEnded(service, person)
      })

      it('gives the token that was just replaced no successor after that', async () => {
        const first = await someone(service)
        await service.advanceTime({ days: 20 })
        const second = await refreshed(service, first)
        await service.advanceTime({ days: 20 })
        await setRotatedNow(service, second)
        assertRefused(await tryRefresh(service, first), 401, 'Invalid or expired refresh token')
      })

      it('is listed with the time of its end', async () => {
        const person = await someone(service)
        await service.advanceTime({ days: 25 })
        await refreshed(service, person)
        await service.advanceTime({ days: 16 })
        const later = await logIn(service, person)
        const { createdAt, revokedAt } = await listedSession(service, later, person)
        assert.equal(Date.parse(revokedAt ?? '') - Date.parse(createdAt), 40 * DAY_SECONDS * 1000)
      })

      it('ends in a browser too, and its cookie with it', async (t) => {
        const { email } = await someone(service)
        const visitor = await logInOnPages(service, email)
        t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 25 * DAY_SECONDS * 1000 })
        await service.advanceTime({ days: 25 })
        const response = await visitor.get('/account')
        assert.equal(response.status, 200)
        const [, maxAge = ''] = /^portico_session=.*Max-Age=(\d+)/.exec(response.headers.getSetCookie()[0] ?? '') ?? []
        assert.ok(Math.abs(Number(maxAge) - 15 * DAY_SECONDS) < 60, maxAge)
        const token = visitor.cookies.get('portico_session') ?? ''
        assert.ok(Math.abs(secondsOf(token) - 15 * DAY_SECONDS) < 60)
        await service.advanceTime({ days: 15 })
        assert.match((await visitor.get('/account')).location, /^\/log-in/)
      })

      it('that is older than a newly configured lifetime has ended', async () => {
        const person = await someone(service)
        await service.portico.database.query
          .updateTable('sessions')
          .set((eb) => ({ created_at: eb('created_at', '-', 41 * DAY_SECONDS * 1000) }))
          .where('id', '=', person.sessionId)
          .execute()
        await assertEnded(service, person)
        // A token of a session that has ended is no sign of theft.
        assertRefused(await tryRefresh(service, person), 401)
        const later = await logIn(service, person)
        assert.ok(!(await eventTypes(service, later)).includes('session.token-reused'))
        assertRefused(await del(service, '/api/sessions', { sessionId: person.sessionId }, { as: later }), 404)
        assert.notEqual((await listedSession(service, await logIn(service, person), person)).revokedAt, null)
      })
    },
    { SESSION_LIFETIME: '40d' },
  )
})

describe('a session with a configured lifetime below 30 days', () => {
  onBothEngines(
    (service) => {
      it('has tokens and a cookie that expire no later', async () => {
        const { email, refreshToken } = await someone(service)
        assert.equal(secondsOf(refreshToken), 2 * 60 * 60)
        const visitor = await logInOnPages(service, email)
        assert.equal(secondsOf(visitor.cookies.get('portico_session') ?? ''), 2 * 60 * 60)
      })
    },
    { SESSION_LIFETIME: '2h' },
  )
})

/** Sets the time of the replacement of the token to now. */
async function setRotatedNow({ portico: { database } }: Service, { sessionId }: Person): Promise<void> {
  await database.query.updateTable('sessions').set({ rotated_at: database.now }).where('id', '=', sessionId).execute()
}
