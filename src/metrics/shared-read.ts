// Several gauges and scrapers share one statement.
const MAX_AGE_MS = 5000

/** Returns a function that reads a state of the database. Undefined while the database does not respond. */
export function shareRead<State>(read: () => Promise<State>): () => Promise<State | undefined> {
  let latest: Promise<State | undefined> | undefined
  let readAt = Number.NEGATIVE_INFINITY
  return () => {
    if (latest && performance.now() - readAt < MAX_AGE_MS) return latest
    readAt = performance.now()
    latest = read().catch(() => undefined)
    return latest
  }
}
