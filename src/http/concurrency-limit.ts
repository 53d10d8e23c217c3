import { Refusal, unavailable } from './refusal.ts'

/** Heavy work in turns: only so many at once, only so many that wait, and whoever comes after them is sent away. */
export function createConcurrencyLimit({ maxConcurrent, maxQueued }: { maxConcurrent: number; maxQueued: number }) {
  let running = 0
  const waiting: (() => void)[] = []

  return async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= maxConcurrent) {
      if (waiting.length >= maxQueued) throw new Refusal(unavailable, { headers: { 'Retry-After': '5' } })
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else {
      running += 1
    }
    try {
      return await work()
    } finally {
      // The place is handed on, or given back when nobody waits.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
