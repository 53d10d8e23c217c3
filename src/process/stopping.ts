import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'

// When stopping: how long requests under way may take, when it is over for an instance, and for all of them.
export const REQUEST_LIMIT_MS = 6_000
export const DRAIN_LIMIT_MS = 9_000
export const WORKERS_LIMIT_MS = 9_500
// How long the last log lines may take to be read.
const LOG_FLUSH_LIMIT_MS = 500
// A SIGINT that comes later than this after the first one is a second Ctrl-C. The exit code is that of shells.
const SECOND_SIGINT_MS = 500
const SIGINT_EXIT_CODE = 130
// How long idle connections stay open after the listener was closed.
export const IDLE_GRACE_MS = 1_000

/**
 * Calls back when the process is told to end, once, however often it is told. A second Ctrl-C ends the process at once. npm
 * passes the first one on, so that the same Ctrl-C may arrive twice within a moment.
 */
export function onceAskedToStop(stop: (reason: string) => Promise<void>): void {
  let askedAt: number | undefined
  const ask = (reason: string) => {
    if (askedAt === undefined) {
      askedAt = performance.now()
      void stop(reason)
    } else if (reason === 'SIGINT' && performance.now() - askedAt > SECOND_SIGINT_MS) {
      process.exit(SIGINT_EXIT_CODE)
    }
  }
  process.on('SIGTERM', ask)
  process.on('SIGINT', ask)
  // `npm start` runs us through a shell that does not pass signals on: when it is gone, we were meant to go too.
  if (process.env.npm_lifecycle_event) {
    const parent = process.ppid
    const watch = setInterval(() => {
      if (process.ppid !== parent) ask('npm is gone')
    }, 250)
    watch.unref()
  }
}

/** Ends the process when its log is written, or soon after when nobody reads it. */
export async function exitWith(code: number, log: Logger): Promise<never> {
  const { promise: flushed, resolve } = Promise.withResolvers<void>()
  log.flush(() => resolve())
  await Promise.race([flushed, setTimeout(LOG_FLUSH_LIMIT_MS)])
  process.exit(code)
}
