import { setImmediate } from 'node:timers/promises'

/** Like `map`, one at a time. Lets the event loop handle pending requests between two items. */
export async function mapOneByOne<T, Result>(
  items: Iterable<T>,
  map: (item: T) => Result | Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (const item of items) {
    results.push(await map(item))
    await setImmediate()
  }
  return results
}

// Quick steps, which together take about a millisecond.
export const STEPS_AT_ONCE = 100

/** Like `map`, for quick steps. Lets the event loop handle pending requests after each 100 of them. */
export async function mapInSteps<T, Result>(items: Iterable<T>, map: (item: T) => Result): Promise<Result[]> {
  const results: Result[] = []
  for (const item of items) {
    results.push(map(item))
    if (results.length % STEPS_AT_ONCE === 0) await setImmediate()
  }
  return results
}
