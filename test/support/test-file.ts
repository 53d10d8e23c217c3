// Loaded by `--import` into the process of each test file, before the file.
import { after } from 'node:test'
import { isMainThread } from 'node:worker_threads'
import { makeHashesCheap } from './cheap-hashes.ts'
import { supervise } from './child.ts'
import { EXIT_LIMIT_MS, FILE_LIMIT_MS } from './limits.ts'
import { shareCompressions } from './shared-compressions.ts'

// Threads inherit the flag.
if (isMainThread) {
  makeHashesCheap()
  shareCompressions()
  supervise({ runner: process.ppid, limitMs: FILE_LIMIT_MS })
  let isOver = false
  process.on('exit', () => {
    if (isOver) return
    process.stderr.write('The process ended before its tests were over.\n')
    process.exitCode = 1
  })
  after(() => {
    isOver = true
    // The timer is unreferenced: it fires only when something else keeps the process alive.
    setTimeout(() => {
      const reasons = process.getActiveResourcesInfo().join(', ')
      process.stderr.write(`Its tests are over, but the process did not end within ${EXIT_LIMIT_MS} ms: ${reasons}\n`)
      process.exit(1)
    }, EXIT_LIMIT_MS).unref()
  })
}
