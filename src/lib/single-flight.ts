/**
 * Single flight: returns a function whose concurrent callers share one run. A call after the end of a run starts
 * another one.
 */
export function singleFlight<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined
  return () => {
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }
}

/** Single flight by key: returns a function whose concurrent callers with the same key share one run. */
export function singleFlightByKey<Result>(): (key: string, run: () => Promise<Result>) => Promise<Result> {
  const running = new Map<string, Promise<Result>>()
  return (key, run) => {
    const shared = running.get(key) ?? run().finally(() => running.delete(key))
    running.set(key, shared)
    return shared
  }
}
