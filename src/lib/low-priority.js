// @ts-check
// Plain JavaScript, so that worker threads that import it start without loading the type stripper.
import { execFile } from 'node:child_process'
import { readlinkSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { basename } from 'node:path'

/** Gives this thread the lowest priority. On Linux, each thread has a priority of its own (setpriority(2)). */
export function lowerThreadPriority() {
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')))
    setPriority(thread, constants.priority.PRIORITY_LOW)
    runWhenIdle(['-p', '0', String(thread)])
  } catch {
    // The system has no /proc, or forbids it.
  }
}

/** Gives all threads of this process the lowest priority. */
export function lowerProcessPriority() {
  try {
    setPriority(constants.priority.PRIORITY_LOW)
    runWhenIdle(['-a', '-p', '0', String(process.pid)])
  } catch {
    // Some systems forbid it.
  }
}

/**
 * Linux gives a thread of the lowest nice value a core for several milliseconds, while a request waits. A thread of the
 * policy SCHED_IDLE leaves the core at once (sched(7)). Node has no function for it. Systems without chrt(1) have the
 * nice value only.
 *
 * @param {string[]} threads
 */
function runWhenIdle(threads) {
  execFile('chrt', ['-i', ...threads], () => {})
}
