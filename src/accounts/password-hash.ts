import { randomBytes, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { createFairQueue, type HashClient } from './hash-queue.ts'
import { createHashThreads, MAX_HASHES_PER_THREAD } from './hash-threads.ts'
import { type HashWork, parseStoredHash, type StoredHash, UnusableHash } from './stored-hash.ts'

// The second Argon2id configuration of OWASP's Password Storage Cheat Sheet.
const COST = { memoryKib: 19456, passes: 2, parallelism: 1 }
const SALT_BYTES = 16
const TAG_BYTES = 32

// A thread uses about 40 MiB of memory after its first hash.
const MAX_THREADS = 16
let maxThreads = threadsFor(1)

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

const hash = createHashThreads({
  onHashed(milliseconds) {
    averageHashMs += (milliseconds - averageHashMs) / AVERAGING_HASHES
    observeHash(milliseconds)
  },
})
const queue = createFairQueue({ concurrency: () => maxThreads * MAX_HASHES_PER_THREAD, capacity: hashQueueCapacity })

/** For hashes that no HTTP request asks for: one network in the queue, and a connection that is always open. */
const NO_CLIENT: HashClient = { network: '', connection: () => 'open' }

/** Divides the cores of the machine among worker processes. */
export function setMaxHashThreads(workers: number): void {
  maxThreads = threadsFor(workers)
}

/** The number of hashes that may wait in the queue. */
export function hashQueueCapacity(): number {
  const perThread = Math.max(Math.floor(QUEUE_MS / averageHashMs), MIN_QUEUE_LENGTH_PER_THREAD)
  return Math.min(perThread * maxThreads, MAX_QUEUE_LENGTH)
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
  const nonce = new Uint8Array(randomBytes(SALT_BYTES))
  const tag = await compute({ ...CURRENT_PARAMETERS, nonce }, password, client)
  return serialize(nonce, tag)
}

/** Whether a hash has other parameters than those that `hashPassword` uses. */
export function isOutdated(hash: string): boolean {
  return !hash.startsWith(CURRENT_PREFIX)
}

/** Finds the signer key of a Firebase project. */
export type FindSignerKey = (keyId: string) => Promise<Uint8Array | undefined>

/**
 * Without a hash, or with one that cannot be computed, compares with a dummy and returns false: the time does not
 * reveal whether an account exists. The hash of an imported person takes the time of its scheme instead.
 */
export async function verifyPassword(
  password: string,
  hash: string | null | undefined,
  client = NO_CLIENT,
  findSignerKey: FindSignerKey = async () => undefined,
): Promise<boolean> {
  const stored = hash ? await usable(hash, findSignerKey) : undefined
  const { work, expected } = stored ?? DUMMY
  const computed = await compute(work, password, client)
  return stored !== undefined && computed.length === expected.length && timingSafeEqual(computed, expected)
}

/** The parsed hash, with the key that it needs. Undefined if it cannot be computed. */
async function usable(hash: string, findSignerKey: FindSignerKey): Promise<StoredHash | undefined> {
  try {
    const { work, expected } = parseStoredHash(hash)
    if (work.scheme !== 'firebase') return { work, expected }
    const signerKey = await findSignerKey(work.keyId)
    return signerKey && { work: { ...work, signerKey }, expected }
  } catch (error) {
    if (error instanceof UnusableHash) return undefined
    throw error
  }
}

const { memoryKib, passes, parallelism } = COST
const CURRENT_PARAMETERS = {
  scheme: 'argon2',
  algorithm: 'argon2id',
  tagLength: TAG_BYTES,
  memory: memoryKib,
  passes,
  parallelism,
} as const
const CURRENT_PREFIX = `$argon2id$v=19$m=${memoryKib},t=${passes},p=${parallelism}$`
const DUMMY = parseStoredHash(serialize(new Uint8Array(SALT_BYTES), new Uint8Array(TAG_BYTES)))

function serialize(salt: Uint8Array, tag: Uint8Array): string {
  return `${CURRENT_PREFIX}${encode(salt)}$${encode(tag)}`
}

function encode(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '')
}

function compute(work: HashWork, password: string, client: HashClient): Promise<Buffer> {
  return queue.run(client, () => {
    startedHashes += 1
    return hash({ ...work, message: password }, maxThreads)
  })
}
