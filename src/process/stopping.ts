import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'

// Times after the shutdown signal: an instance destroys its open connections, an instance exits with 1, and the primary
// process sends SIGKILL to its workers.
export const CONNECTION_DESTROY_AFTER_MS = 6_000
export const INSTANCE_EXIT_AFTER_MS = 9_000
export const WORKER_KILL_AFTER_MS = 9_500
// Timeout for flushing the log before the process exits.
const LOG_FLUSH_TIMEOUT_MS = 500
// A SIGINT within this time after the first one is a copy of the same Ctrl-C.
const DUPLICATE_SIGINT_MS = 500
// Shells report 128 + 2 for SIGINT, and 128 + 15 for SIGTERM.
const SIGINT_EXIT_CODE = 130
export const SIGTERM_EXIT_CODE = 143
const PARENT_POLL_INTERVAL_MS = 250
// Idle connections stay open for this time after the listener was closed. A proxy that closes its idle connections
// sooner never sends a request on a connection that is being closed (`keepalive_timeout` in deploy/nginx.conf).
export const IDLE_GRACE_MS = 2_000

/**
 * Calls `stop` once, at the first SIGTERM or SIGINT. A second Ctrl-C exits at once. npm forwards SIGINT, so the process
 * may receive one Ctrl-C twice: from the terminal and from npm.
 */
export function onShutdownRequest(stop: (reason: string) => Promise<void>): void {
  let requestedAt: number | undefined
  const request = (reason: string) => {
    if (requestedAt === undefined) {
      requestedAt = performance.now()
      void stop(reason)
    } else if (reason === 'SIGINT' && performance.now() - requestedAt > DUPLICATE_SIGINT_MS) {
      process.exit(SIGINT_EXIT_CODE)
    }
  }
  process.on('SIGTERM', request)
  process.on('SIGINT', request)
  // `npm start` runs this process through a shell that does not forward signals. main.js runs it as a child process of
  // an older Node, which may be killed. A changed parent process id shows that the parent has ended.
  if (process.env.npm_lifecycle_event || process.env.PORTICO_LAUNCHER) {
    const parent = process.ppid
    const watch = setInterval(() => {
      if (process.ppid !== parent) request('the parent process is gone')
    }, PARENT_POLL_INTERVAL_MS)
    watch.unref()
  }
}

/** Exits when the log is flushed, or after LOG_FLUSH_TIMEOUT_MS when stdout does not take the lines. */
export async function exitWith(code: number, log: Logger): Promise<never> {
  const { promise: flushed, resolve } = Promise.withResolvers<void>()
  log.flush(() => resolve())
  await Promise.race([flushed, setTimeout(LOG_FLUSH_TIMEOUT_MS)])
  process.exit(code)
}
