// Loaded by `--import` into the process of each test file, before the file.
import { after } from 'node:test'
import { isMainThread } from 'node:worker_threads'
import { supervise } from './child.ts'
import { keepUsualPriority, makeHashesCheap, shareCompressions } from './test-speed.ts'

// `npm run test:long` sets this limit of a file. The limit of one test or hook is `--test-timeout` in package.json.
const FILE_LIMIT_MS = Number(process.env.TEST_FILE_LIMIT_MINUTES || 25) * 60_000
/** The time after its last test in which the process of a file must exit. */
const EXIT_LIMIT_MS = Number(process.env.TEST_EXIT_LIMIT_SECONDS || 60) * 1000

// Threads inherit the flag.
if (isMainThread) {
  makeHashesCheap()
  shareCompressions()
  keepUsualPriority()
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
