import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runProgram, startChild, stillRunning } from '../support/child.ts'
import { cleanUp, manualCleanUp } from '../support/clean-up.ts'

describe('the clean-up of a test', () => {
  it('runs the steps one after the other, the last registered first', async () => {
    const { owner, run } = manualCleanUp()
    const done: string[] = []
    for (const step of ['first', 'second', 'third']) {
      cleanUp(owner, async () => {
        await new Promise(setImmediate)
        done.push(step)
      })
    }
    await run()
    assert.deepEqual(done, ['third', 'second', 'first'])
  })

  it('skips no step when others fail, and throws all errors', async () => {
    const { owner, run } = manualCleanUp()
    const done: string[] = []
    cleanUp(owner, () => done.push('first'))
    cleanUp(owner, () => Promise.reject(new Error('one')))
    cleanUp(owner, () => done.push('third'))
    cleanUp(owner, () => {
      throw new Error('two')
    })
    await assert.rejects(run(), ({ errors }) => {
      assert.deepEqual(
        errors.map(({ message }: Error) => message),
        ['two', 'one'],
      )
      return true
    })
    assert.deepEqual(done, ['third', 'first'])
  })

  it('kills a child with its children, and continues when they have ended', async () => {
    const { owner, run } = manualCleanUp()
    const child = startChild(owner, 'sh', ['-c', 'sleep 1000 & echo $!; wait'], { stdio: ['ignore', 'pipe', 'ignore'] })
    const [grandchild] = await new Promise<string[]>((resolve) =>
      child.stdout?.once('data', (line) => resolve(String(line).split('\n'))),
    )
    cleanUp(owner, () => assert.equal(child.signalCode, null))
    await run()
    assert.equal(child.signalCode, 'SIGKILL')
    assert.deepEqual(stillRunning([Number(grandchild)]), [])
  })

  it('does not wait for a program that has ended', async () => {
    const { owner, run } = manualCleanUp()
    assert.equal(await runProgram(owner, 'echo', ['done']), 'done\n')
    await run()
  })
})
