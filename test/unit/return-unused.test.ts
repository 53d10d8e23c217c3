import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { startReturningUnused } from '../../src/limits/return-unused.ts'

const SECOND_MS = 1000

function start(t: TestContext, { reserved, others }: { reserved: boolean; others: () => Promise<number> }) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const calls = { counted: 0, returned: 0 }
  const limits = {
    hasReservedAlone: () => reserved,
    async returnUnused() {
      calls.returned += 1
    },
  }
  const instanceReport = {
    countOthers() {
      calls.counted += 1
      return others()
    },
  }
  const returning = startReturningUnused(limits, instanceReport)
  async function tick() {
    t.mock.timers.tick(SECOND_MS)
    await setImmediate()
  }
  return { calls, tick, ...returning }
}

describe('the hits that a process has reserved as the only one', () => {
  it('are returned within a second after another process has started', async (t) => {
    let running = 0
    const { calls, tick } = start(t, { reserved: true, others: async () => running })
    await tick()
    assert.deepEqual(calls, { counted: 1, returned: 0 })
    running = 1
    await tick()
    assert.deepEqual(calls, { counted: 2, returned: 1 })
  })

  it('are kept while the database cannot be read', async (t) => {
    const { calls, tick } = start(t, { reserved: true, others: () => Promise.reject(new Error('unavailable')) })
    await tick()
    await tick()
    assert.deepEqual(calls, { counted: 2, returned: 0 })
  })

  it('are returned when the process ends', async (t) => {
    const { calls, stop, tick } = start(t, { reserved: true, others: async () => 0 })
    await stop()
    await tick()
    assert.deepEqual(calls, { counted: 0, returned: 1 })
  })

  it('cause no statement if there are none', async (t) => {
    const { calls, tick } = start(t, { reserved: false, others: async () => 1 })
    await tick()
    assert.deepEqual(calls, { counted: 0, returned: 0 })
  })
})
