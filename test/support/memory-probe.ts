// Loaded into a service before its own code (see `memoryOf` in process.ts). On a signal it collects garbage and prints
// the memory in use.
import { setImmediate } from 'node:timers/promises'

let count = 0
process.on('SIGUSR2', async () => {
  count += 1
  // A second collection frees objects that a finalizer of the first one has released.
  for (let round = 0; round < 4; round++) {
    globalThis.gc?.()
    await setImmediate()
  }
  const { rss, heapUsed, external } = process.memoryUsage()
  process.stderr.write(`memory ${count} ${JSON.stringify({ rss, liveBytes: heapUsed + external })}\n`)
})
