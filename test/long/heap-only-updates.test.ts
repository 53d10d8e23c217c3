import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { refreshAll, scatteredSessions, startWithStatistics } from '../support/heap-only-updates.ts'
import { report } from '../support/measuring.ts'

const REFRESHES = 100_000
const SESSIONS = 100
const ROUNDS_BETWEEN_REPORTS = 100

describe('on PostgreSQL', () => {
  it(`${REFRESHES} refreshes leave the indexes of sessions as large as they were`, async (t) => {
    const { service, ...observed } = await startWithStatistics(t)
    let people = await refreshAll(service, await scatteredSessions(service, SESSIONS), 1)
    const sizes = await observed.indexSizes('sessions')
    const start = await observed.walPosition()
    for (let done = 0; done < REFRESHES; done += SESSIONS * ROUNDS_BETWEEN_REPORTS) {
      people = await refreshAll(service, people, ROUNDS_BETWEEN_REPORTS)
      report(`${done + SESSIONS * ROUNDS_BETWEEN_REPORTS} refreshes`)
    }
    const bytes = (await observed.walBytesSince(start)) / REFRESHES
    assert.ok(bytes <= 300, `${bytes} bytes of WAL a refresh`)
    assert.deepEqual(await observed.indexSizes('sessions'), sizes)
    const { updates, heapOnly } = await observed.updatesOf('sessions', REFRESHES + SESSIONS)
    report(`${bytes.toFixed(0)} bytes of WAL a refresh, ${heapOnly} of ${updates} updates heap-only`)
    assert.ok(heapOnly >= 0.99 * updates, `only ${heapOnly} of ${updates} updates were heap-only`)
  })
})
