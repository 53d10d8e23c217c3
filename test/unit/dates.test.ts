import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isoTime } from '../../src/lib/dates.ts'

const DAY_MS = 24 * 60 * 60 * 1000

describe('the time in ISO 8601', () => {
  it('equals that of Date.toISOString, for every kind of time', () => {
    const moments = [
      0,
      1,
      999,
      1000,
      DAY_MS - 1,
      DAY_MS,
      951_782_400_000,
      951_868_799_999,
      253_402_300_799_999,
      -1,
      -DAY_MS,
    ]
    for (const moment of moments) assert.equal(isoTime(moment), new Date(moment).toISOString())
  })

  it('stays right over more days than are cached', () => {
    for (let day = 0; day < 10_000; day++) {
      const moment = day * DAY_MS + ((day * 7_654_321) % DAY_MS)
      assert.equal(isoTime(moment), new Date(moment).toISOString())
    }
  })
})
