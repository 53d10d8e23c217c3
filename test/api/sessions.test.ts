import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertAlive, assertNow, listedSession, listSessions } from '../support/accounts.ts'
import { assertRefused, del, get, logIn, type Person, signUp } from '../support/api.ts'
import { onBothEngines } from '../support/service.ts'

const WINDOWS_CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36'
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1'

const idsOf = (sessions: { sessionId: string }[]) => sessions.map(({ sessionId }) => sessionId)

describe('sessions', () => {
  onBothEngines((service) => {
    async function aMinuteLater() {
      await service.portico.activity.flush()
      await service.advanceTime({ minutes: 1 })
    }
    /** Another session, begun a minute after everything before. */
    async function laterLogIn(person: Person): Promise<Person> {
      await aMinuteLater()
      return logIn(service, person)
    }

    it('lists a session with exactly its fields', async () => {
      const headers = { 'user-agent': WINDOWS_CHROME, 'x-forwarded-for': '203.0.113.7, 10.0.0.1' }
      const person = await signUp(service, {}, { headers })
      const [session, ...others] = await listSessions(service, person)
      assert.ok(session)
      assert.deepEqual(others, [])
      const { createdAt, authenticatedAt, lastActiveAt, ...rest } = session
      assert.deepEqual(rest, {
        sessionId: person.sessionId,
        authMethod: 'email',
        methods: ['mail'],
        browser: 'Chrome 126.0.0.0',
        os: 'Windows 10',
        device: 'Desktop',
        ipAddress: '203.0.113.7, 10.0.0.1',
        clientIp: '127.0.0.1',
        location: null,
        revokedAt: null,
        isCurrent: true,
      })
      for (const moment of [createdAt, authenticatedAt, lastActiveAt]) {
        assert.equal(new Date(moment).toISOString(), moment)
        assertNow(moment)
      }
    })

    it('shows the device and the address as far as they are known', async () => {
      const person = await signUp(service, {}, { headers: { 'user-agent': IPHONE, 'x-real-ip': '203.0.113.9' } })
      const plain = await logIn(service, person, { headers: { 'user-agent': 'curl/8.5.0' } })
      assert.partialDeepStrictEqual(await listedSession(service, person, person), {
        browser: 'Mobile Safari 17.5',
        os: 'iOS 17.5',
        device: 'iPhone',
        ipAddress: '203.0.113.9',
      })
      assert.partialDeepStrictEqual(await listedSession(service, person, plain), {
        device: 'Desktop',
        ipAddress: 'unknown',
      })
    })

    it('lists live sessions first and the latest active of them first, then the ended ones', async () => {
      const first = await signUp(service)
      const second = await laterLogIn(first)
      const third = await laterLogIn(first)
      const fourth = await laterLogIn(first)
      assert.deepEqual(idsOf(await listSessions(service, fourth)), idsOf([fourth, third, second, first]))

      await aMinuteLater()
      await assertAlive(service, first)
      await aMinuteLater()
      await del(service, '/api/sessions', { sessionId: third.sessionId }, { as: fourth })
      await aMinuteLater()
      const sessions = await listSessions(service, second)
      assert.deepEqual(idsOf(sessions), idsOf([second, fourth, first, third]))
      assert.deepEqual(
        sessions.map(({ isCurrent }) => isCurrent),
        [true, false, false, false],
      )
      assert.deepEqual(
        sessions.map(({ revokedAt }) => revokedAt === null),
        [true, true, true, false],
      )
    })

    it('lists an expired session among the ended ones, the latest end first', async () => {
      const person = await signUp(service)
      const expired = await laterLogIn(person)
      const { query } = service.portico.database
      const yesterday = Date.now() - 24 * 3_600_000
      await query.updateTable('sessions').set({ expires_at: yesterday }).where('id', '=', expired.sessionId).execute()
      const revoked = await laterLogIn(person)
      await del(service, '/api/sessions', { sessionId: revoked.sessionId }, { as: person })
      const active = await laterLogIn(person)
      const sessions = await listSessions(service, active)
      assert.deepEqual(idsOf(sessions), idsOf([active, person, revoked, expired]))
    })

    it('shows an ended session for 30 days', async () => {
      const person = await signUp(service)
      const other = await logIn(service, person)
      await del(service, '/api/sessions', { sessionId: other.sessionId }, { as: person })
      await service.advanceTime({ days: 29 })
      assert.equal((await listSessions(service, person)).length, 2)
      await service.advanceTime({ hours: 23 })
      assert.equal((await listSessions(service, person)).length, 2)
      const fresh = await logIn(service, person)
      await service.advanceTime({ hours: 2 })
      assert.ok(!idsOf(await listSessions(service, fresh)).includes(other.sessionId))
    })

    it("shows only the user's own sessions", async () => {
      const [person, other] = [await signUp(service), await signUp(service)]
      assert.deepEqual(idsOf(await listSessions(service, person)), [person.sessionId])
      assert.deepEqual(idsOf(await listSessions(service, other)), [other.sessionId])
    })

    it('updates lastActiveAt with every request, and leaves createdAt', async () => {
      const person = await signUp(service)
      const other = await logIn(service, person)
      await service.portico.activity.flush()
      await service.advanceTime({ hours: 1 })
      const before = await listedSession(service, person, other)
      assert.ok(Date.parse(before.lastActiveAt) < Date.now() - 3_500_000)
      await assertAlive(service, other)
      await service.portico.activity.flush()
      const after = await listedSession(service, person, other)
      assertNow(after.lastActiveAt)
      assert.equal(after.createdAt, before.createdAt)
    })

    it('shows the client its own activity without delay', async () => {
      const person = await signUp(service)
      await service.portico.activity.flush()
      await service.advanceTime({ hours: 1 })
      assertNow((await listedSession(service, person, person)).lastActiveAt)
    })

    it('does not count a refused request as activity', async () => {
      const person = await signUp(service)
      const other = await logIn(service, person)
      await service.portico.activity.flush()
      await service.advanceTime({ hours: 1 })
      assertRefused(await get(service, '/api/sessions', { as: { ...other, accessToken: person.accessToken } }), 401)
      await service.portico.activity.flush()
      assert.ok(Date.parse((await listedSession(service, person, other)).lastActiveAt) < Date.now() - 3_500_000)
    })
  })
})
