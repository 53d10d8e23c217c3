import type { DatabaseSync } from 'node:sqlite'
import { Mutex } from './mutex.ts'
import { retryWhileBusy } from './sqlite-busy.ts'
import { isBusy } from './sqlite-errors.ts'
import { createRowReader } from './sqlite-rows.ts'

/**
 * Runs a statement synchronously. If SQLite returns SQLITE_BUSY, the call becomes asynchronous and is retried until the
 * busy timeout. Further calls of the statement then queue at a mutex, so that one call at a time retries.
 */
export function createStatementRunner(connection: DatabaseSync, text: string, busyTimeoutMs: number) {
  let read: ReturnType<typeof createRowReader> | undefined
  const mutex = new Mutex()

  function run(values: unknown[]) {
    read ??= createRowReader(connection.prepare(text))
    return read(values)
  }

  async function runWithRetries(values: unknown[]) {
    const deadlineMs = performance.now() + busyTimeoutMs
    const release = await mutex.acquire()
    try {
      return await retryWhileBusy(() => run(values), deadlineMs)
    } finally {
      release()
    }
  }

  return (values: unknown[]) => {
    if (!mutex.isFree) return runWithRetries(values)
    try {
      return run(values)
    } catch (error) {
      if (!isBusy(error)) throw error
      return runWithRetries(values)
    }
  }
}
