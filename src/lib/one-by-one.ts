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
