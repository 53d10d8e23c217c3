import { setTimeout } from 'node:timers/promises'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { isBusy } from './sqlite-errors.ts'

const MIN_BACKOFF_MS = 1
const MAX_JITTER_MS = 8

/**
 * Retries while SQLite returns SQLITE_BUSY, until `performance.now()` is past the deadline. The first attempt is made
 * even when the deadline has passed.
 *
 * SQLite's own busy handler (`sqlite3_busy_timeout`) sleeps on the calling thread. On the serving thread that would
 * block every request, so retries wait by timer instead.
 */
export async function retryWhileBusy<T>(attempt: () => MaybePromise<T>, deadlineMs: number): Promise<T> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadlineMs) throw error
    }
    await backOffWithJitter()
  }
}

/** The random part keeps several waiting connections from retrying at the same moment. */
export async function backOffWithJitter(): Promise<void> {
  await setTimeout(MIN_BACKOFF_MS + Math.random() * MAX_JITTER_MS)
}
