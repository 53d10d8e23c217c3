import { Worker } from 'node:worker_threads'
import { threadEnv } from '../lib/thread-env.ts'
import type { HashWork } from './stored-hash.ts'

/** Hashes in flight per thread: the one it computes and the next one, so that the thread does not idle in between. */
export const MAX_HASHES_PER_THREAD = 2

interface Thread {
  worker: Worker
  /** The hashes in flight, in the order in which they were posted to the worker. */
  pending: PromiseWithResolvers<Buffer>[]
  /** The time at which the thread began the first of them, by `performance.now()`. */
  startedAtMs: number
}

/**
 * Computes password hashes on dedicated worker threads, which start on demand. The asynchronous `crypto.argon2` would
 * use the thread pool of libuv, where hashes delay file access, DNS look-ups and signatures. The pool was also measured
 * to leave cores idle between two hashes, because each hash wakes another of its threads.
 */
export function createHashThreads({ onHashed = () => {} }: { onHashed?: (milliseconds: number) => void } = {}) {
  const threads: Thread[] = []

  /** Uses the least busy thread. Starts another one when all are busy and there are fewer than `maxThreads`. */
  function hash(work: HashWork & { message: string }, maxThreads: number): Promise<Buffer> {
    const leastBusy = threads.toSorted((a, b) => a.pending.length - b.pending.length)[0]
    const mayReuse = leastBusy && (leastBusy.pending.length === 0 || threads.length >= maxThreads)
    const thread = mayReuse ? leastBusy : startOr(leastBusy)
    const { worker, pending } = thread
    if (pending.length === 0) thread.startedAtMs = performance.now()
    const result = Promise.withResolvers<Buffer>()
    pending.push(result)
    worker.ref()
    worker.postMessage(work)
    return result.promise
  }

  /** Starts a thread. When the system refuses another thread, returns `other`. */
  function startOr(other: Thread | undefined): Thread {
    try {
      return start()
    } catch (error) {
      if (other) return other
      throw error
    }
  }

  function start(): Thread {
    const worker = new Worker(new URL('./hash-thread.js', import.meta.url), { execArgv: [], env: threadEnv() })
    const thread: Thread = { worker, pending: [], startedAtMs: 0 }
    threads.push(thread)
    worker.on('message', (result: Uint8Array | Error) => {
      const { resolve, reject } = thread.pending.shift() as PromiseWithResolvers<Buffer>
      // Only a hash in flight keeps the process alive.
      if (thread.pending.length === 0) worker.unref()
      const now = performance.now()
      onHashed(now - thread.startedAtMs)
      thread.startedAtMs = now
      if (result instanceof Error) reject(result)
      else resolve(Buffer.from(result))
    })
    let reason = new Error('a hash thread has exited')
    worker.on('error', (error: Error) => {
      reason = error
    })
    worker.on('exit', () => {
      threads.splice(threads.indexOf(thread), 1)
      for (const { reject } of thread.pending) reject(reason)
    })
    return thread
  }

  return hash
}
