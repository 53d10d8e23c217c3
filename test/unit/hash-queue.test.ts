import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { describe, it } from 'node:test'
import { type ConnectionState, createFairQueue, type HashClient } from '../../src/accounts/hash-queue.ts'
import { hashesStarted, hashQueueCapacity, verifyPassword } from '../../src/accounts/password-hash.ts'
import { ClientGone } from '../../src/http/client-gone.ts'
import { Refusal } from '../../src/http/refusal.ts'
import { withRealHashes } from '../support/test-speed.ts'

const isRefused = (error: unknown) =>
  error instanceof Refusal && error.status === 503 && error.headers['Retry-After'] === '2'
const isDropped = (error: unknown) => error instanceof ClientGone

/** A queue whose work ends when the test resolves it, and the order in which entries started. */
function queueOf({ concurrency = 1, capacity = 100 } = {}) {
  const { run } = createFairQueue({ concurrency: () => concurrency, capacity: () => capacity })
  const started: string[] = []
  const endings: PromiseWithResolvers<void>[] = []
  const states = new Map<string, ConnectionState>()

  /** An entry whose name begins with its network: `a1` is of network `a`. */
  function add(name: string): Promise<void> {
    const client: HashClient = { network: name.charAt(0), connection: () => states.get(name) ?? 'open' }
    const entry = run(client, () => {
      const ending = Promise.withResolvers<void>()
      started.push(name)
      endings.push(ending)
      return ending.promise
    })
    // Each test asserts the outcome of an entry. This handler keeps the other rejections from being unhandled.
    entry.catch(() => {})
    return entry
  }

  /** Ends work until nothing is left to start. */
  async function drain(): Promise<string[]> {
    for (let at = 0; at < endings.length; at++) {
      endings[at]?.resolve()
      await new Promise(setImmediate)
    }
    return started
  }

  const become = (state: ConnectionState, ...names: string[]) => {
    for (const name of names) states.set(name, state)
  }

  return { add, become, started, drain }
}

describe('the queue of hashes', () => {
  it('runs so many at once', async () => {
    const { add, started, drain } = queueOf({ concurrency: 2 })
    const entries = ['a1', 'a2', 'a3'].map(add)
    assert.deepEqual(started, ['a1', 'a2'])
    assert.deepEqual(await drain(), ['a1', 'a2', 'a3'])
    await Promise.all(entries)
  })

  it('alternates between the network that had the fewest entries and the next network in the round', async () => {
    const { add, drain } = queueOf()
    for (const name of ['a0', 'a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1', 'd1']) add(name)
    assert.deepEqual(await drain(), ['a0', 'b1', 'a1', 'c1', 'd1', 'b2', 'a2', 'a3', 'a4'])
  })

  it('lets 200 entries of one network delay no other', async () => {
    const { add, drain } = queueOf({ capacity: 300 })
    for (let number = 0; number <= 200; number++) add(`a${number}`)
    add('b1')
    assert.equal((await drain()).indexOf('b1'), 1)
  })

  it('lets 24 networks that have had their turns delay a new one by one of them', async () => {
    const { add, drain } = queueOf({ capacity: 300 })
    const networks = [...'ABCDEFGHIJKLMNOPQRSTUVWX']
    for (const number of [0, 1, 2]) for (const network of networks) add(network + number)
    await drain()
    for (const number of [3, 4, 5]) for (const network of networks) add(network + number)
    add('z1')
    const order = await drain()
    assert.ok(order.indexOf('z1') - order.indexOf('A3') <= 2, String(order))
  })

  it('starves no network that has had many turns, however many new networks arrive', async () => {
    const { add, drain } = queueOf({ capacity: 300 })
    for (let number = 0; number < 20; number++) add(`a${number}`)
    await drain()
    add('a20')
    add('a21')
    for (const network of 'ABCDEFGHIJKLMNOPQRSTUVWX') add(`${network}1`)
    const order = await drain()
    assert.ok(order.indexOf('a21') - order.indexOf('a20') <= 3, String(order))
  })

  it('refuses an entry of the network that has the most when it is full', async () => {
    const { add, drain } = queueOf({ capacity: 3 })
    for (const name of ['a0', 'a1', 'a2', 'a3']) add(name)
    await assert.rejects(add('a4'), isRefused)
    assert.deepEqual(await drain(), ['a0', 'a1', 'a2', 'a3'])
  })

  it('drops the last entry of the network that has the most for one of a quiet network', async () => {
    const { add, drain } = queueOf({ capacity: 4 })
    const [, , , second, third] = ['a0', 'b1', 'a1', 'a2', 'a3'].map(add)
    add('c1')
    await assert.rejects(third as Promise<void>, isRefused)
    // Now every network but one has one entry, and that one has two.
    add('d1')
    await assert.rejects(second as Promise<void>, isRefused)
    // All have one: the new entry has no priority over the waiting ones.
    await assert.rejects(add('e1'), isRefused)
    await assert.rejects(add('b2'), isRefused)
    assert.deepEqual(await drain(), ['a0', 'b1', 'a1', 'c1', 'd1'])
  })

  it('starts no entry whose client has disconnected', async () => {
    const { add, become, drain } = queueOf()
    add('a0')
    const left = ['a1', 'a2', 'b1'].map(add)
    for (const name of ['a3', 'b2']) add(name)
    become('closed', 'a1', 'a2', 'b1')
    assert.deepEqual(await drain(), ['a0', 'b2', 'a3'])
    for (const entry of left) await assert.rejects(entry, isDropped)
    become('closed', 'c1')
    await assert.rejects(add('c1'), isDropped)
  })

  it('keeps no slot for an entry whose client has disconnected', async () => {
    const { add, become, drain } = queueOf({ capacity: 3 })
    const [, first, second] = ['a0', 'a1', 'a2', 'a3'].map(add)
    become('closed', 'a1', 'a2')
    for (const name of ['a4', 'a5']) add(name)
    await assert.rejects(first as Promise<void>, isDropped)
    await assert.rejects(second as Promise<void>, isDropped)
    await assert.rejects(add('a6'), isRefused)
    assert.deepEqual(await drain(), ['a0', 'a3', 'a4', 'a5'])
  })

  it('starts an entry whose client has half-closed its connection when no other waits', async () => {
    const { add, become, drain } = queueOf()
    const entries = ['a0', 'a1', 'b1', 'a2', 'b2'].map(add)
    become('half-closed', 'a1', 'b1')
    assert.deepEqual(await drain(), ['a0', 'b2', 'a2', 'b1', 'a1'])
    await Promise.all(entries)
  })

  it('refuses such an entry first when it is full', async () => {
    const { add, become, drain } = queueOf({ capacity: 3 })
    const [, , single] = ['a0', 'a1', 'b1', 'a2'].map(add)
    become('half-closed', 'b1')
    add('a3')
    await assert.rejects(single as Promise<void>, isRefused)
    await assert.rejects(add('a4'), isRefused)
    assert.deepEqual(await drain(), ['a0', 'a1', 'a2', 'a3'])
  })

  it('continues after work that has failed', async () => {
    const { run } = createFairQueue({ concurrency: () => 1, capacity: () => 1 })
    const client: HashClient = { network: 'a', connection: () => 'open' }
    const failed = run(client, () => Promise.reject(new Error('no')))
    const next = run(client, async () => 2)
    await assert.rejects(failed, /no/)
    assert.equal(await next, 2)
    assert.equal(await run(client, async () => 3), 3)
  })
})

/** A stored hash of `right` whose check takes about this long. */
function storedHash(memory: number, passes: number): string {
  const salt = Buffer.alloc(16, 7)
  const cost = { memory, passes, parallelism: 1 }
  const tag = argon2Sync('argon2id', { message: 'right', nonce: salt, tagLength: 32, ...cost })
  const [encodedSalt, encodedTag] = [salt, tag].map((bytes) => bytes.toString('base64').replace(/=+$/, ''))
  return `$argon2id$v=19$m=${memory},t=${passes},p=1$${encodedSalt}$${encodedTag}`
}

describe('the queue of passwords', () => {
  withRealHashes()
  it('is bounded: concurrent checks above the bound are refused, and later ones are admitted again', async () => {
    const stored = storedHash(64, 1)
    // Each check changes the bound, so many more than the largest bound are sent at once.
    const checks = Array.from({ length: 2000 }, (_, at) => verifyPassword(at === 0 ? 'wrong' : 'right', stored))
    const outcomes = await Promise.allSettled(checks)
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected' && isRefused(outcome.reason))
    const right = outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value)
    assert.ok(refused.length > 900)
    assert.equal(right.length, 2000 - refused.length - 1)
    assert.equal(await verifyPassword('right', stored), true)
  })

  it('is longer when hashes are quick and shorter when they are slow', async () => {
    const check = async (stored: string) => {
      for (let count = 0; count < 30; count++) await verifyPassword('right', stored)
      return hashQueueCapacity()
    }
    const quick = await check(storedHash(64, 1))
    const slow = await check(storedHash(16_384, 4))
    assert.ok(slow < quick, `${slow} and ${quick}`)
    assert.ok(slow >= 32 && quick <= 1024, `${slow} and ${quick}`)
  })

  it('counts the hashes that it computes', async () => {
    const before = hashesStarted()
    await verifyPassword('right', storedHash(64, 1))
    await verifyPassword('wrong', null)
    assert.equal(hashesStarted() - before, 2)
  })
})
