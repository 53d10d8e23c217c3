import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Worker } from 'node:worker_threads'
import { startChild } from '../support/child.ts'
import { cleanUp } from '../support/clean-up.ts'
import { eventually } from '../support/site.ts'

const MODULE = new URL('../../src/lib/low-priority.js', import.meta.url).href
const SCHED_OTHER = 0
const SCHED_IDLE = 5

/** The scheduling policy of each thread of a process: field 41 of proc_pid_stat(5). The first thread is the main one. */
function policiesOf(pid: number): number[] {
  const folder = `/proc/${pid}/task`
  return readdirSync(folder).map((thread) => {
    const stat = readFileSync(join(folder, thread, 'stat'), 'utf8')
    // Field 2 is the name in parentheses, which may have spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(fields[41 - 3])
  })
}

/** Calls a function of the module and goes on running. */
const programOf = (name: string) =>
  `import(${JSON.stringify(MODULE)}).then((module) => module.${name}()); setInterval(() => {}, 60_000)`

describe('the lowest priority', () => {
  it('of a thread leaves the other threads as they are', async (t) => {
    const worker = new Worker(programOf('lowerThreadPriority'), { eval: true })
    cleanUp(t, () => worker.terminate())
    await eventually(async () => {
      const [main, ...others] = policiesOf(process.pid)
      assert.equal(main, SCHED_OTHER)
      assert.equal(others.filter((policy) => policy === SCHED_IDLE).length, 1)
    })
  })

  it('of a process is that of all its threads', async (t) => {
    const { pid = 0 } = startChild(t, process.execPath, ['-e', programOf('lowerProcessPriority')])
    await eventually(async () => {
      const policies = policiesOf(pid)
      assert.ok(policies.length > 1)
      assert.deepEqual(new Set(policies), new Set([SCHED_IDLE]))
    })
  })
})
