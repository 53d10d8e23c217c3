import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import {
  backgroundSteps,
  mapInBackground,
  runSlowly,
  runWithPriority,
  yieldToRequests,
} from '../../src/lib/cooperative-scheduling.ts'

describe('background work', () => {
  it('rests while a client waits, also when the work for the client fails', async () => {
    for (const end of ['resolve', 'reject'] as const) {
      const work = Promise.withResolvers<void>()
      const order: string[] = []
      const client = runWithPriority(() => work.promise).catch(() => {})
      const background = yieldToRequests().then(() => order.push('background'))
      await setImmediate()
      await setImmediate()
      order.push('client')
      work[end](new Error('expected') as never)
      await Promise.all([client, background])
      assert.deepEqual(order, ['client', 'background'])
      await yieldToRequests()
    }
  })

  it('goes on after a short time, however long a client waits', async () => {
    const work = Promise.withResolvers<void>()
    const client = runWithPriority(() => work.promise)
    await yieldToRequests()
    await yieldToRequests()
    work.resolve()
    await client
  })

  it('rests after each step while slow work runs, and not after its end or failure', async () => {
    const elapsedMs = async (work: () => Promise<void>) => {
      const startedAt = performance.now()
      await work()
      return performance.now() - startedAt
    }
    for (const end of ['resolve', 'reject'] as const) {
      const slow = Promise.withResolvers<void>()
      const ended = runSlowly(() => slow.promise).catch(() => {})
      // A timer of Node may be a millisecond early.
      assert.ok((await elapsedMs(yieldToRequests)) >= 4)
      assert.ok((await elapsedMs(yieldToRequests)) >= 4)
      slow[end](new Error('expected') as never)
      await ended
      let iterations = 0
      let isOver = false
      const counting = (async () => {
        for (; !isOver; iterations++) await setImmediate()
      })()
      await yieldToRequests()
      isOver = true
      assert.ok(iterations <= 1, String(iterations))
      await counting
    }
  })

  it('ends when its signal is aborted', async () => {
    const controller = new AbortController()
    const visited: number[] = []
    const mapping = mapInBackground(
      [1, 2, 3],
      (item) => {
        visited.push(item)
        controller.abort()
        for (const until = performance.now() + 5; performance.now() < until; );
      },
      controller.signal,
    )
    await assert.rejects(mapping, { name: 'AbortError' })
    assert.deepEqual(visited, [1])
  })

  it('lets the event loop iterate after each few milliseconds, and not after each part', async () => {
    let iterations = 0
    let isOver = false
    const count = async () => {
      while (!isOver) {
        await setImmediate()
        iterations += 1
      }
    }
    const counting = count()
    const step = backgroundSteps()
    for (let part = 0; part < 1000; part++) await step()
    assert.ok(iterations < 100, String(iterations))
    const before = iterations
    for (let part = 0; part < 5; part++) {
      for (const until = performance.now() + 3; performance.now() < until; );
      await step()
    }
    isOver = true
    await counting
    assert.ok(iterations - before >= 5, String(iterations - before))
  })
})
