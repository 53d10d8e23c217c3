import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { openClock } from '../../src/database/clock.ts'
import { onBothEngines } from '../support/service.ts'

const HOUR_MS = 60 * 60_000
const TOLERANCE_MS = 5000

function assertNear(time: number, expected: number): void {
  assert.ok(Math.abs(time - expected) < TOLERANCE_MS, `${time - expected} ms off`)
}

describe('the clock', () => {
  onBothEngines((service) => {
    it('returns the time of the database when that differs from ours, and follows both when they are set', async (t) => {
      const { query, now } = service.portico.database
      let offByMs = -2 * HOUR_MS
      const clock = await openClock({
        query,
        get now() {
          return sql<number>`${now} + ${sql.lit(offByMs)}`
        },
      })
      const began = Date.now()
      assertNear(clock.now(), began - 2 * HOUR_MS)

      offByMs = HOUR_MS
      await clock.measure()
      assertNear(clock.now(), began + HOUR_MS)

      t.mock.method(Date, 'now', () => began + 9 * HOUR_MS)
      await clock.measure()
      // Neither database uses the mocked clock of this process.
      assertNear(clock.now(), began + HOUR_MS)
    })

    it('is our own clock as long as no difference can be measured', async () => {
      const { query } = service.portico.database
      const clock = await openClock({
        query,
        get now() {
          return sql<number>`${sql.lit(Date.now())}`
        },
      })
      const before = Date.now()
      const time = clock.now()
      assert.ok(before <= time && time <= Date.now())
    })
  })
})
