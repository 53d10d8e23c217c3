import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { recordEvent } from '../../src/events/security-events.ts'
import { TEST_CLIENT_INFO } from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  del,
  fieldsOf,
  get,
  PASSWORD,
  type Person,
  post,
  signUp,
} from '../support/api.ts'
import { onBothEngines } from '../support/service.ts'

const CHROME_ON_LINUX =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36'

interface SecurityEvent {
  id: string
  type: string
  sessionId: string | null
  createdAt: string
}

describe('security-events', () => {
  onBothEngines((service) => {
    async function page(as: Person, query = ''): Promise<{ events: SecurityEvent[]; nextBefore: string | null }> {
      const response = await get(service, `/api/security-events${query}`, { as })
      assertSucceeded(response)
      assert.deepEqual(Object.keys(response.body.data).sort(), ['events', 'nextBefore'])
      return response.body.data
    }

    it('have their type, address, device and session', async () => {
      const headers = { 'user-agent': CHROME_ON_LINUX, 'x-forwarded-for': '203.0.113.7' }
      const person = await signUp(service)
      await post(service, '/api/user-details', { bio: 'x' }, { as: person, headers })
      const [event] = (await page(person)).events
      assert.ok(event)
      const { id, createdAt, ...rest } = event
      assert.match(id, /^[0-9a-f-]{36}$/)
      assert.equal(new Date(createdAt).toISOString(), createdAt)
      assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000)
      assert.deepEqual(rest, {
        type: 'profile.updated',
        description: 'Profile updated',
        sessionId: person.sessionId,
        browser: 'Chrome 126.0.0.0',
        os: 'Linux',
        device: 'Desktop',
        ipAddress: '127.0.0.1',
      })
    })

    /** Events in quick succession, in a known order: each has a session of its own. */
    async function writeQuickly({ userId }: Person, count: number): Promise<string[]> {
      const { database } = service.portico
      const sessionIds = Array.from({ length: count }, () => randomUUID())
      await database.transaction(async (tx) => {
        for (const sessionId of sessionIds) {
          await recordEvent(tx, database.now, {
            type: 'session.ended',
            userId,
            sessionId,
            clientInfo: TEST_CLIENT_INFO,
          })
        }
      })
      return sessionIds
    }

    it('are listed newest first, also within one millisecond', async () => {
      const person = await signUp(service)
      const written = await writeQuickly(person, 40)
      const { events } = await page(person, '?limit=40')
      assert.deepEqual(
        events.map(({ sessionId }) => sessionId),
        written.reverse(),
      )
    })

    for (const limit of [1, 2, 3, 5, 12, 13]) {
      it(`are each listed once in pages of ${limit}`, async () => {
        const person = await signUp(service)
        await writeQuickly(person, 9)
        const whole = await page(person)
        assert.equal(whole.events.length, 12)
        assert.equal(whole.nextBefore, null)

        const visited: SecurityEvent[] = []
        let next: string | null = ''
        for (let pages = 0; next !== null; pages++) {
          assert.ok(pages < 20, 'the pages do not end')
          const { events, nextBefore } = await page(person, `?limit=${limit}${next && `&before=${next}`}`)
          assert.ok(events.length > 0 && events.length <= limit)
          visited.push(...events)
          next = nextBefore
        }
        assert.deepEqual(visited, whole.events)
      })
    }

    it('are listed 50 to a page, and 100 at most', async () => {
      const person = await signUp(service)
      await writeQuickly(person, 110)
      assert.equal((await page(person)).events.length, 50)
      const { events, nextBefore } = await page(person, '?limit=100')
      assert.equal(events.length, 100)
      assert.ok(nextBefore)
    })

    it('are not listed with an invalid limit', async () => {
      const person = await signUp(service)
      for (const limit of ['0', '-1', '101', '1.5', 'many', '', '10&limit=20']) {
        const response = await get(service, `/api/security-events?limit=${limit}`, { as: person })
        assertRefused(response, 400, 'Validation failed')
        assert.deepEqual(Object.keys(fieldsOf(response)), ['limit'])
      }
    })

    it('are not listed with an invalid cursor', async () => {
      const person = await signUp(service)
      for (const before of ['', 'x', '1', randomUUID(), "' or 1=1 --"]) {
        const path = `/api/security-events?before=${encodeURIComponent(before)}`
        const response = await get(service, path, { as: person })
        assertRefused(response, 400, 'Validation failed')
        assert.deepEqual(Object.keys(fieldsOf(response)), ['before'])
      }
    })

    it("are only the owner's, whatever page is requested", async () => {
      const [person, otherUser] = [await signUp(service), await signUp(service)]
      await writeQuickly(person, 3)
      const own = (await page(otherUser)).events
      const { nextBefore } = await page(person, '?limit=1')
      const { events } = await page(otherUser, `?before=${nextBefore}&userId=${person.userId}`)
      assert.deepEqual(events, own)
    })

    it('are deleted with the account', async () => {
      const person = await signUp(service)
      assertSucceeded(await del(service, '/api/delete-user', { password: PASSWORD }, { as: person }))
      const { query } = service.portico.database
      const rows = await query.selectFrom('security_events').select('id').where('user_id', '=', person.userId).execute()
      assert.deepEqual(rows, [])
      assertRefused(await get(service, '/api/security-events', { as: person }), 401)
    })
  })
})
