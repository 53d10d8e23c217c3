// Loaded into a service before its own code (see memory.ts): on a signal it says what it holds after all garbage is gone.
import { setImmediate } from 'node:timers/promises'

let asked = 0
process.on('SIGUSR2', async () => {
  asked += 1
  // What one collection frees by a finalizer, the next can take.
  for (let round = 0; round < 4; round++) {
    globalThis.gc?.()
    await setImmediate()
  }
  const { rss, heapUsed, external } = process.memoryUsage()
  process.stderr.write(`memory ${asked} ${JSON.stringify({ rss, held: heapUsed + external })}\n`)
})
