import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createRequestTally } from '../../src/lib/request-tally.ts'

const MINUTE_MS = 60_000

describe('the tally of requests', () => {
  it('has the responses of the last hour, also when minutes pass without one', () => {
    let now = 5 * MINUTE_MS
    const tally = createRequestTally(() => now)
    assert.deepEqual(tally.lastHour(), { requests: 0, errors: 0 })
    for (const isError of [false, false, false, true, true]) tally.count(isError)
    assert.deepEqual(tally.lastHour(), { requests: 5, errors: 2 })
    now += 59 * MINUTE_MS
    tally.count(false)
    assert.deepEqual(tally.lastHour(), { requests: 6, errors: 2 })
    now += MINUTE_MS
    assert.deepEqual(tally.lastHour(), { requests: 1, errors: 0 })
    tally.count(true)
    assert.deepEqual(tally.lastHour(), { requests: 2, errors: 1 })
    now += 600 * MINUTE_MS
    assert.deepEqual(tally.lastHour(), { requests: 0, errors: 0 })
  })
})
