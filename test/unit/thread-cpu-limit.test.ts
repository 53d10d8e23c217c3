import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it, type TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'
import { threadCpuLimit } from '../../src/lib/thread-cpu-limit.ts'
import { cleanUp } from '../support/clean-up.ts'

/** A thread that runs the code. It has loaded. */
async function startThread(t: TestContext, code: string): Promise<Worker> {
  const script = `const { parentPort } = require('node:worker_threads'); parentPort.on('message', () => {${code}}); parentPort.postMessage(0)`
  const worker = new Worker(script, { eval: true })
  cleanUp(t, () => worker.terminate())
  await once(worker, 'message')
  return worker
}

describe('the CPU limit of a thread', () => {
  it('is exceeded by a computation, also within one regular expression', async (t) => {
    for (const code of ['for (;;);', "/^(a+)+$/.test('a'.repeat(100) + 'b')"]) {
      const worker = await startThread(t, code)
      using limit = threadCpuLimit(worker, 200)
      worker.postMessage(0)
      await once(limit.signal, 'abort')
      const { user, system } = await worker.cpuUsage()
      assert.ok(user + system >= 200_000)
    }
  })

  it('is not exceeded while the thread waits, or by its earlier work', async (t) => {
    const wait = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)'
    const compute = 'const until = performance.now() + 500; while (performance.now() < until);'
    const worker = await startThread(t, `${compute}; parentPort.postMessage(0); ${wait}; parentPort.postMessage(0)`)
    worker.postMessage(0)
    await once(worker, 'message')
    using limit = threadCpuLimit(worker, 100)
    await once(worker, 'message')
    assert.equal(limit.signal.aborted, false)
  })

  it('is no longer checked once it is disposed', async (t) => {
    const worker = await startThread(t, 'for (;;);')
    const limit = threadCpuLimit(worker, 100)
    limit[Symbol.dispose]()
    worker.postMessage(0)
    using other = threadCpuLimit(worker, 400)
    await once(other.signal, 'abort')
    assert.equal(limit.signal.aborted, false)
  })
})
