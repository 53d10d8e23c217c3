import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createConcurrencyLimit } from '../../src/http/concurrency-limit.ts'
import { Refusal } from '../../src/http/refusal.ts'

const isRefusal = (error: unknown) =>
  error instanceof Refusal && error.status === 503 && error.headers['Retry-After'] === '5'

/** Work that ends when the test resolves it. */
function slowWork() {
  const begun: PromiseWithResolvers<number>[] = []
  const work = () => {
    const own = Promise.withResolvers<number>()
    begun.push(own)
    return own.promise
  }
  return { work, begun }
}

describe('a concurrency limit', () => {
  it('runs so many at once, queues so many, and refuses the others', async () => {
    const { work, begun } = slowWork()
    const withSlot = createConcurrencyLimit({ maxConcurrent: 2, maxQueued: 1 })
    const [first, second, third] = [withSlot(work), withSlot(work), withSlot(work)]
    await assert.rejects(withSlot(work), isRefusal)
    assert.equal(begun.length, 2)
    begun[1]?.resolve(2)
    assert.equal(await second, 2)
    assert.equal(begun.length, 3)
    begun[0]?.resolve(1)
    begun[2]?.resolve(3)
    assert.deepEqual(await Promise.all([first, third]), [1, 3])
  })

  it('passes on the slot of work that has failed', async () => {
    const { work, begun } = slowWork()
    const withSlot = createConcurrencyLimit({ maxConcurrent: 1, maxQueued: 1 })
    const [first, second] = [withSlot(work), withSlot(work)]
    begun[0]?.reject(new Error('no'))
    await assert.rejects(first, /no/)
    begun[1]?.resolve(2)
    assert.equal(await second, 2)
    const third = withSlot(work)
    begun[2]?.resolve(3)
    assert.equal(await third, 3)
  })
})
