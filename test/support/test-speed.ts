import childProcess, { type ForkOptions } from 'node:child_process'
import { createHash } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { before } from 'node:test'
import workerThreads, { Worker, type WorkerOptions } from 'node:worker_threads'
import zlib from 'node:zlib'
import { cleanUp, suiteCleanUp } from './clean-up.ts'

// Half of the processor time of the tests was that of password hashes. In a process that runs tests, the service hashes
// with little memory and one pass. The processes that tests start, and the suites that call `withRealHashes`, hash as
// deployed.
const DEPLOYED = { memory: 19456, passes: 2 }
const CHEAP = { memory: 8, passes: 1 }
let isReal = false

/** Changes the cost of hashes on their way to the threads that compute them. */
export function makeHashesCheap(): void {
  const { postMessage } = Worker.prototype
  Worker.prototype.postMessage = function (message, ...others) {
    postMessage.call(this, !isReal && isDeployedHash(message) ? { ...message, ...CHEAP } : message, ...others)
  }
}

function isDeployedHash(message: unknown): message is typeof DEPLOYED {
  const { memory, passes } = (message ?? {}) as Partial<typeof DEPLOYED>
  return memory === DEPLOYED.memory && passes === DEPLOYED.passes
}

/** Whether hashes cost as much as deployed now. A hash of one cost is not verified at the other. */
export const areHashesReal = () => isReal

/** Lets the tests of the surrounding suite hash as deployed. Accounts of other suites cannot log in meanwhile. */
export function withRealHashes(): void {
  const suite = suiteCleanUp()
  before(() => {
    isReal = true
    cleanUp(suite, async () => {
      isReal = false
    })
  })
}

// Every service of a test process compresses the same pages of the API, which took half of the processor time of its
// start. Smaller bodies are mostly those of one test.
const MIN_BYTES = 10_000
const MAX_RESULTS = 200

type Compress = (bytes: Buffer, options: object, done: (error: Error | null, result: Buffer) => void) => void

/** Lets the services of this process share the results of compressions. Runs before the code of the service is loaded. */
export function shareCompressions(): void {
  for (const name of ['brotliCompress', 'gzip'] as const)
    Object.assign(zlib, { [name]: shared(zlib[name] as Compress) })
  syncBuiltinESMExports()
}

function shared(compress: Compress): Compress {
  const results = new Map<string, Buffer>()
  return (bytes, options, done) => {
    if (bytes.length < MIN_BYTES) return compress(bytes, options, done)
    const key = `${createHash('sha256').update(bytes).digest('base64')} ${JSON.stringify(options)}`
    const known = results.get(key)
    if (known) return process.nextTick(done, null, known)
    compress(bytes, options, (error, result) => {
      if (!error && results.size < MAX_RESULTS) results.set(key, result)
      done(error, result)
    })
  }
}

const USUAL_PRIORITY = ['--import', new URL('./usual-priority.js', import.meta.url).href]

/**
 * Lets the background work of the services of this process compete with everything else for the cores. On the busy cores
 * of a test run, a thread of the lowest priority may wait for minutes. Threads and processes of the service are those
 * with `execArgv`. Runs before the code of the service is loaded.
 */
export function keepUsualPriority(): void {
  const { fork } = childProcess
  const withUsualPriority = <Options extends { execArgv?: string[] | undefined }>(options: Options): Options =>
    options.execArgv ? { ...options, execArgv: [...options.execArgv, ...USUAL_PRIORITY] } : options
  class UsualPriorityWorker extends Worker {
    constructor(file: string | URL, options: WorkerOptions = {}) {
      super(file, withUsualPriority(options))
    }
  }
  Object.assign(childProcess, {
    fork: (file: string | URL, parameters: string[], options: ForkOptions) =>
      fork(file, parameters, withUsualPriority(options)),
  })
  Object.assign(workerThreads, { Worker: UsualPriorityWorker })
  syncBuiltinESMExports()
}
