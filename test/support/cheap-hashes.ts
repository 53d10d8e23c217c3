import { before } from 'node:test'
import { Worker } from 'node:worker_threads'
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
