// @ts-check
// Plain JavaScript, so that worker threads that import it start without loading the type stripper.
import { readlinkSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { basename } from 'node:path'

/** Gives this thread the lowest priority. On Linux, each thread has a priority of its own (setpriority(2)). */
export function lowerThreadPriority() {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), constants.priority.PRIORITY_LOW)
  } catch {
    // The system has no /proc, or forbids it.
  }
}
