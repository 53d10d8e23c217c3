import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { describe, it, type TestContext } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { createHashThreads } from '../../src/accounts/hash-threads.ts'
import { runProgram } from '../support/child.ts'
import { cleanUp } from '../support/clean-up.ts'

const cheap = {
  scheme: 'argon2',
  algorithm: 'argon2id',
  message: 'a password',
  nonce: Buffer.alloc(16, 7),
  memory: 64,
  passes: 1,
  parallelism: 1,
  tagLength: 32,
} as const

/** The threads that are started from now on. */
function startedThreads(t: TestContext): Worker[] {
  const threads: Worker[] = []
  const note = (message: unknown) => threads.push((message as { worker: Worker }).worker)
  subscribe('worker_threads', note)
  cleanUp(t, () => {
    unsubscribe('worker_threads', note)
    return Promise.all(threads.map((thread) => thread.terminate()))
  })
  return threads
}

describe('the hash threads', () => {
  it('compute the hashes of Node, each for its caller', async (t) => {
    startedThreads(t)
    const hash = createHashThreads()
    const messages = Array.from({ length: 20 }, (_, number) => `password ${number}`)
    const tags = await Promise.all(messages.map((message) => hash({ ...cheap, message }, 2)))
    assert.deepEqual(
      tags,
      messages.map((message) => argon2Sync('argon2id', { ...cheap, message })),
    )
  })

  it('are as many as are needed, and no more than allowed', async (t) => {
    const threads = startedThreads(t)
    const hash = createHashThreads()
    assert.equal(threads.length, 0)
    for (let turn = 0; turn < 3; turn++) await hash(cheap, 3)
    assert.equal(threads.length, 1)
    await Promise.all(Array.from({ length: 12 }, () => hash(cheap, 3)))
    assert.equal(threads.length, 3)
    await Promise.all(Array.from({ length: 12 }, () => hash(cheap, 1)))
    assert.equal(threads.length, 3)
  })

  it('continue after a hash that cannot be computed', async (t) => {
    startedThreads(t)
    const hash = createHashThreads()
    const [impossible, next] = [hash({ ...cheap, memory: 1 }, 1), hash(cheap, 1)]
    await assert.rejects(impossible, RangeError)
    assert.deepEqual(await next, argon2Sync('argon2id', cheap))
  })

  it('are replaced when they end, and every caller gets a result', async (t) => {
    const threads = startedThreads(t)
    const hash = createHashThreads()
    const lost = [hash({ ...cheap, memory: 65536, passes: 8 }, 1), hash(cheap, 1)]
    const outcomes = Promise.allSettled(lost)
    await threads[0]?.terminate()
    for (const { status } of await outcomes) assert.equal(status, 'rejected')
    assert.deepEqual(await hash(cheap, 1), argon2Sync('argon2id', cheap))
    assert.equal(threads.length, 2)
  })

  it('keep a process alive while they compute, and no longer', async (t) => {
    const module = new URL('../../src/accounts/password-hash.ts', import.meta.url)
    const program = `
      const { hashPassword, verifyPassword } = await import(${JSON.stringify(module.href)})
      console.log(await verifyPassword('right', await hashPassword('right')))`
    assert.equal(await runProgram(t, process.execPath, ['--input-type=module', '-e', program]), 'true\n')
  })
})
