import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { crowd } from '../support/accounts.ts'
import { assertSucceeded, get } from '../support/api.ts'
import { refreshAll, scatteredSessions, startWithStatistics, type Updates } from '../support/heap-only-updates.ts'

const MIN_SHARE = 0.99
const MAX_WAL_BYTES = 300
const SESSIONS = 50
const ROUNDS = 12
const WINDOWS = 3

function assertHeapOnly({ updates, heapOnly }: Updates): void {
  assert.ok(heapOnly >= MIN_SHARE * updates, `only ${heapOnly} of ${updates} updates were heap-only`)
}

describe('on PostgreSQL, a frequent update', () => {
  it('writes no index at a refresh, and at most 300 bytes of WAL', async (t) => {
    const { service, ...observed } = await startWithStatistics(t)
    let people = await refreshAll(service, await scatteredSessions(service, SESSIONS), 1)
    const sizes = await observed.indexSizes('sessions')
    const start = await observed.walPosition()
    for (let round = 0; round < ROUNDS; round++) {
      await observed.untilPrunable()
      people = await refreshAll(service, people, 1)
    }
    const bytes = (await observed.walBytesSince(start)) / (SESSIONS * ROUNDS)
    assert.ok(bytes > 100 && bytes <= MAX_WAL_BYTES, `${bytes} bytes of WAL a refresh`)
    assert.deepEqual(await observed.indexSizes('sessions'), sizes)
    assertHeapOnly(await observed.updatesOf('sessions', SESSIONS * (ROUNDS + 1)))
  })

  it('writes no index when a session is used', async (t) => {
    const { service, ...observed } = await startWithStatistics(t)
    const people = await scatteredSessions(service, SESSIONS)
    for (let round = 0; round < ROUNDS; round++) {
      await observed.untilPrunable()
      for (const { sessionId } of people) service.portico.activity.touch(sessionId)
      await service.portico.activity.flush()
    }
    assertHeapOnly(await observed.updatesOf('sessions', SESSIONS * ROUNDS))
  })

  it('writes no index when calls are counted, also when a window starts anew', async (t) => {
    const { service, ...observed } = await startWithStatistics(t, { RATE_LIMITS: 'on', RATE_LIMIT_API: '1000/1s' })
    const people = await crowd(service, 10)
    for (let window = 0; window < WINDOWS; window++) {
      await observed.untilPrunable()
      for (let round = 0; round < ROUNDS; round++) {
        for (const as of people) assertSucceeded(await get(service, '/api/user-details', { as }))
      }
      await setTimeout(1000)
    }
    assertHeapOnly(await observed.updatesOf('rate_limits', people.length * (WINDOWS - 1)))
  })
})
