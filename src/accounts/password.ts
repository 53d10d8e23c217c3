import { randomBytes, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { fairQueue, type HashClient } from './hash-queue.ts'
import { hashThreads, MAX_HASHES_PER_THREAD } from './hash-threads.ts'

// The second Argon2id configuration of OWASP's Password Storage Cheat Sheet. `memory` is in KiB.
const COST = { memory: 19456, passes: 2, parallelism: 1 }
const SALT_BYTES = 16
const TAG_BYTES = 32

// A thread uses about 40 MiB of memory after its first hash.
const MAX_THREADS = 16
let threads = threadsFor(1)

// The queue is as long as about two seconds of work, by the moving average of the time per hash. The minimum length
// admits a burst of requests also while other work on the machine slows hashes down. An idle core computes 32 hashes in
// 1.4 s.
const QUEUE_MS = 2000
const MIN_QUEUE_LENGTH_PER_THREAD = 32
const MAX_QUEUE_LENGTH = 1024
const AVERAGING_HASHES = 16
let averageHashMs = 50
let startedHashes = 0
let observeHash = (_milliseconds: number) => {}

const hash = hashThreads({
  onHashed(milliseconds) {
    averageHashMs += (milliseconds - averageHashMs) / AVERAGING_HASHES
    observeHash(milliseconds)
  },
})
const queue = fairQueue({ concurrency: () => threads * MAX_HASHES_PER_THREAD, capacity: hashQueueCapacity })

/** For hashes that no HTTP request asks for: one network in the queue, and a connection that is always open. */
const NO_CLIENT: HashClient = { network: '', connection: () => 'open' }

/** Divides the cores of the machine among worker processes. */
export function shareCoresAmong(workers: number): void {
  threads = threadsFor(workers)
}

/** The number of hashes that may wait in the queue. */
export function hashQueueCapacity(): number {
  const perThread = Math.max(Math.floor(QUEUE_MS / averageHashMs), MIN_QUEUE_LENGTH_PER_THREAD)
  return Math.min(perThread * threads, MAX_QUEUE_LENGTH)
}

/** The number of hashes that wait in the queue. */
export function hashQueueLength(): number {
  return queue.length()
}

/** Calls the function with the duration of each hash from now on. */
export function observeHashes(observe: (milliseconds: number) => void): void {
  observeHash = observe
}

/** The number of hashes that this process has started to compute. */
export function hashesStarted(): number {
  return startedHashes
}

/** One thread per core at most. More would slow down each hash, and the requests that compute none. */
function threadsFor(workers: number): number {
  return Math.min(Math.max(1, Math.floor(availableParallelism() / workers)), MAX_THREADS)
}

export async function hashPassword(password: string, client = NO_CLIENT): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const tag = await compute(password, salt, COST, TAG_BYTES, client)
  return serialize(salt, tag)
}

/** Without a hash, compares with a dummy and returns false, so the time does not reveal whether an account exists. */
export async function verifyPassword(
  password: string,
  hash: string | null | undefined,
  client = NO_CLIENT,
): Promise<boolean> {
  const { salt, tag, cost } = parse(hash ?? DUMMY_HASH)
  const computed = await compute(password, salt, cost, tag.length, client)
  return timingSafeEqual(computed, tag) && typeof hash === 'string'
}

const DUMMY_HASH = serialize(Buffer.alloc(SALT_BYTES), Buffer.alloc(TAG_BYTES))

/** The PHC string format of Argon2id (https://github.com/P-H-C/phc-string-format). */
function serialize(salt: Buffer, tag: Buffer): string {
  const { memory: m, passes: t, parallelism: p } = COST
  return `$argon2id$v=19$m=${m},t=${t},p=${p}$${encode(salt)}$${encode(tag)}`
}

function parse(hash: string) {
  const [, memory, passes, parallelism, salt = '', tag = ''] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash) ?? []
  if (!memory) throw new Error('a stored password hash has an unknown format')
  return {
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
  }
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

function compute(
  password: string,
  salt: Buffer,
  cost: typeof COST,
  tagLength: number,
  client: HashClient,
): Promise<Buffer> {
  // A small Buffer is a view of Node's shared pool, and `postMessage` would clone the whole pool. A Uint8Array has an
  // ArrayBuffer of its own.
  const nonce = new Uint8Array(salt)
  return queue.run(client, () => {
    startedHashes += 1
    return hash({ message: password, nonce, tagLength, ...cost }, threads)
  })
}
