import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { Worker } from 'node:worker_threads'
import { startChild } from '../support/child.ts'
import { cleanUp } from '../support/clean-up.ts'
import { eventually } from '../support/site.ts'

const MODULE = new URL('../../src/lib/low-priority.js', import.meta.url).href
const SCHED_IDLE = 5
const LOWEST = { nice: 19, policy: SCHED_IDLE }

/** How Linux schedules a thread: fields 19 and 41 of proc_pid_stat(5). */
function schedulingOf(pid: number, thread: number) {
  const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
  // Field 2 is the name in parentheses, which may have spaces. The list begins with field 3.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { nice: Number(fields[19 - 3]), policy: Number(fields[41 - 3]) }
}

/** A program that calls a function of the module and goes on running. */
const programOf = (name: string) =>
  `import(${JSON.stringify(MODULE)}).then((module) => module.${name}()); setInterval(() => {}, 60_000)`

/** A program that sends the id of its thread first: the last part of the link (proc(5)). */
const threadProgramOf = (name: string) =>
  `require('node:worker_threads').parentPort.postMessage(
     Number(require('node:path').basename(require('node:fs').readlinkSync('/proc/thread-self'))))
   ${programOf(name)}`

describe('the lowest priority', () => {
  it('of a thread leaves the main thread as it is', async (t) => {
    const before = schedulingOf(process.pid, process.pid)
    const worker = new Worker(threadProgramOf('lowerThreadPriority'), { eval: true })
    cleanUp(t, () => worker.terminate())
    const [thread] = await once(worker, 'message')
    await eventually(async () => assert.deepEqual(schedulingOf(process.pid, thread), LOWEST))
    assert.notEqual(thread, process.pid)
    assert.deepEqual(schedulingOf(process.pid, process.pid), before)
  })

  it('of a process is that of all its threads', async (t) => {
    const { pid = 0 } = startChild(t, process.execPath, ['-e', programOf('lowerProcessPriority')])
    await eventually(async () => {
      const threads = readdirSync(`/proc/${pid}/task`).map(Number)
      assert.ok(threads.length > 1)
      for (const thread of threads) assert.equal(schedulingOf(pid, thread).policy, SCHED_IDLE)
    })
  })
})
