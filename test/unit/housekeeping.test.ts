import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { startHousekeeping } from '../../src/housekeeping.ts'
import type { Log } from '../../src/logging/log.ts'

type Parts = Parameters<typeof startHousekeeping>[0]

const MINUTE_MS = 60_000

describe('housekeeping', () => {
  it('starts no run before all tasks of the last one have ended, also after an error', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const slow = Promise.withResolvers<void>()
    const logged: unknown[] = []
    let reports = 0
    let isOver = false
    const unavailable = async () => {
      throw new Error('the database is unavailable')
    }
    const { stop } = startHousekeeping({
      database: new Proxy({}, { get: () => assert.fail('the database is unavailable') }),
      keys: { reload: unavailable },
      clock: { measure: unavailable },
      tokens: { dropExpired() {} },
      instanceReport: {
        async write() {
          reports += 1
          await slow.promise
          isOver = true
        },
      },
      log: { error: (details: unknown) => logged.push(details) } as unknown as Log,
    } as unknown as Parts)
    t.mock.timers.tick(MINUTE_MS)
    await setImmediate()
    t.mock.timers.tick(MINUTE_MS)
    await setImmediate()
    assert.equal(reports, 1)
    const stopped = stop().then(() => isOver)
    slow.resolve()
    assert.equal(await stopped, true)
    assert.equal(logged.length, 1)
  })
})
