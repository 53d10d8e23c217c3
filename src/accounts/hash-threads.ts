import type { Argon2Parameters } from 'node:crypto'
import { Worker } from 'node:worker_threads'

/** How many hashes each thread may be given: the one it computes, and the next, so that it never waits for us. */
export const AT_EACH = 2

interface Thread {
  worker: Worker
  asked: PromiseWithResolvers<Buffer>[]
  /** When it began the first of them. */
  begunAt: number
}

/**
 * Computes Argon2id on threads that do nothing else, started when they are first needed. In Node's own pool hashes would
 * stand in the way of files, names and signatures; and there each one wakes up another thread, on whichever core, which was
 * measured to leave cores idle between two of them.
 */
export function hashThreads({ onHashed = () => {} }: { onHashed?: (milliseconds: number) => void } = {}) {
  const threads: Thread[] = []

  /** By the thread with the least to do, of at most so many. */
  function hash(parameters: Argon2Parameters, most: number): Promise<Buffer> {
    const leastBusy = threads.toSorted((a, b) => a.asked.length - b.asked.length)[0]
    const isFree = leastBusy && (leastBusy.asked.length === 0 || threads.length >= most)
    const thread = isFree ? leastBusy : startOr(leastBusy)
    const { worker, asked } = thread
    if (asked.length === 0) thread.begunAt = performance.now()
    const answer = Promise.withResolvers<Buffer>()
    asked.push(answer)
    worker.ref()
    worker.postMessage(parameters)
    return answer.promise
  }

  /** Where no more threads are to be had, one of those that are there has to do. */
  function startOr(other: Thread | undefined): Thread {
    try {
      return start()
    } catch (error) {
      if (other) return other
      throw error
    }
  }

  function start(): Thread {
    const worker = new Worker(new URL('./hash-thread.js', import.meta.url), { execArgv: [] })
    const thread: Thread = { worker, asked: [], begunAt: 0 }
    threads.push(thread)
    worker.on('message', (answer: Uint8Array | Error) => {
      const { resolve, reject } = thread.asked.shift() as PromiseWithResolvers<Buffer>
      // Only work that is under way keeps a process alive.
      if (thread.asked.length === 0) worker.unref()
      const now = performance.now()
      onHashed(now - thread.begunAt)
      thread.begunAt = now
      if (answer instanceof Error) reject(answer)
      else resolve(Buffer.from(answer))
    })
    let reason = new Error('a thread for hashes has ended')
    worker.on('error', (error: Error) => {
      reason = error
    })
    worker.on('exit', () => {
      threads.splice(threads.indexOf(thread), 1)
      for (const { reject } of thread.asked) reject(reason)
    })
    return thread
  }

  return hash
}
