import { randomBytes, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { fairQueue, type HashClient } from './hash-queue.ts'
import { AT_EACH, hashThreads } from './hash-threads.ts'

// OWASP's second recommendation for Argon2id: 19 MiB, two passes.
const COST = { memory: 19456, passes: 2, parallelism: 1 }
const TAG_LENGTH = 32

// Each thread keeps about 40 MiB once it has been used.
const MAX_THREADS = 16
let threads = threadsFor(1)

// The queue holds about two seconds of work, by the time that hashes have taken lately. A machine that is busy with other
// things for a moment still takes a burst of requests: 32 hashes are 1.4 seconds of work for an idle core.
const QUEUE_MS = 2000
const MIN_QUEUE_LENGTH_PER_THREAD = 32
const MAX_QUEUE_LENGTH = 1024
const AVERAGED_HASHES = 16
let averageHashMs = 50
let started = 0

const hash = hashThreads({
  onHashed(milliseconds) {
    averageHashMs += (milliseconds - averageHashMs) / AVERAGED_HASHES
  },
})
const inTurn = fairQueue({ concurrency: () => threads * AT_EACH, capacity: hashQueueCapacity })

/** Without a request there is no connection to lose, and one queue for all. */
const NO_CLIENT: HashClient = { network: '', connection: () => 'open' }

/** Workers on one machine share its cores. */
export function shareCoresAmong(workers: number): void {
  threads = threadsFor(workers)
}

/** How many hashes may wait. */
export function hashQueueCapacity(): number {
  const perThread = Math.max(Math.floor(QUEUE_MS / averageHashMs), MIN_QUEUE_LENGTH_PER_THREAD)
  return Math.min(perThread * threads, MAX_QUEUE_LENGTH)
}

/** How many hashes this process has computed, or has begun to compute. */
export function hashesStarted(): number {
  return started
}

/** More at once than there are cores would only make each of them slower, and starve everything else. */
function threadsFor(workers: number): number {
  return Math.min(Math.max(1, Math.floor(availableParallelism() / workers)), MAX_THREADS)
}

export async function hashPassword(password: string, client = NO_CLIENT): Promise<string> {
  const salt = randomBytes(16)
  const tag = await compute(password, salt, COST, TAG_LENGTH, client)
  const { memory: m, passes: t, parallelism: p } = COST
  return `$argon2id$v=19$m=${m},t=${t},p=${p}$${encode(salt)}$${encode(tag)}`
}

/** Takes the same time whether or not there is a hash to compare with. */
export async function verifyPassword(
  password: string,
  hash: string | null | undefined,
  client = NO_CLIENT,
): Promise<boolean> {
  const { salt, tag, cost } = parse(hash ?? NOBODY)
  const computed = await compute(password, salt, cost, tag.length, client)
  return timingSafeEqual(computed, tag) && typeof hash === 'string'
}

const NOBODY = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${encode(Buffer.alloc(16))}$${encode(Buffer.alloc(TAG_LENGTH))}`

function parse(hash: string) {
  const [, memory, passes, parallelism, salt = '', tag = ''] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash) ?? []
  if (!memory) throw new Error('a stored password hash has an unknown form')
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
  // By itself: a small Buffer is a piece of a large one, all of which would go to the thread.
  const nonce = new Uint8Array(salt)
  return inTurn(client, () => {
    started += 1
    return hash({ message: password, nonce, tagLength, ...cost }, threads)
  })
}
