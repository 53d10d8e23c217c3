import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// By then the site is prepared, and the mail server has been checked.
const DELAY_MS = 10_000
// The share of time in which the event loop was busy. A process that serves requests is not interrupted.
const MAX_UTILIZATION = 0.2
// The collection of a larger heap would stop the event loop for longer.
const MAX_HEAP_BYTES = 64 * 1024 * 1024

/**
 * Collects garbage once after the start, as soon as the process has little to do, and returns the memory to the system.
 * V8 would do so only after many more allocations: a process without requests was measured to keep 20 MiB. The
 * collection stops the event loop for about 50 ms, and discards compiled code: under load, the rate of the next second
 * was measured to be half as high.
 */
export function releaseStartMemory(): void {
  const start = performance.eventLoopUtilization()
  setTimeout(() => {
    if (performance.eventLoopUtilization(start).utilization > MAX_UTILIZATION) return releaseStartMemory()
    if (getHeapStatistics().used_heap_size > MAX_HEAP_BYTES) return
    // `gc` is a global of contexts that are made while the flag is set (v8.dev/docs/embed). The global object of the
    // application does not get it.
    setFlagsFromString('--expose-gc')
    const collectGarbage: NodeJS.GCFunction = runInNewContext('gc')
    setFlagsFromString('--no-expose-gc')
    collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  }, DELAY_MS).unref()
}
