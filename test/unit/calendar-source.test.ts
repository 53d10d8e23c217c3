import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createCalendarSource } from '../../src/content/calendar.ts'

const HOUR_MS = 60 * 60_000
const today = new Date().toISOString().slice(0, 10)
const calendarOf = (count: number) => ({ total: count, data: [{ date: today, count, level: 1 }] })

describe('an expired calendar', () => {
  it('is read from the database when another instance has refreshed it meanwhile', async () => {
    const rows = [
      { value: calendarOf(1), savedAt: Date.now() - 2 * HOUR_MS },
      { value: calendarOf(2), savedAt: Date.now() - 1000 },
    ]
    const changed = Promise.withResolvers<void>()
    const failures: unknown[] = []
    const source = createCalendarSource(
      { read: async () => rows.shift(), write: () => assert.fail('nothing was asked for') },
      // No code host listens.
      { username: 'ada', token: 'token', apiUrl: 'http://127.0.0.1:1/graphql' },
      { changed: changed.resolve, failed: (error) => failures.push(error) },
    )
    assert.equal((await source.current()).total, 1)
    await changed.promise
    assert.equal(source.known()?.total, 2)
    assert.deepEqual(failures, [])
  })
})
