import { Refusal, unavailable } from './refusal.ts'

/**
 * A bounded semaphore. Runs at most `maxConcurrent` functions at the same time. At most `maxQueued` calls wait for a
 * slot, in the order of their arrival. A call beyond that is refused with 503.
 */
export function createConcurrencyLimit({ maxConcurrent, maxQueued }: { maxConcurrent: number; maxQueued: number }) {
  let running = 0
  const queue: (() => void)[] = []

  return async function withSlot<T>(work: () => Promise<T>): Promise<T> {
    if (running >= maxConcurrent) {
      if (queue.length >= maxQueued) throw new Refusal(unavailable, { headers: { 'Retry-After': '5' } })
      await new Promise<void>((resolve) => queue.push(resolve))
    } else {
      running += 1
    }
    try {
      return await work()
    } finally {
      // The slot passes to the next call in the queue, or becomes free.
      const next = queue.shift()
      if (next) next()
      else running -= 1
    }
  }
}
