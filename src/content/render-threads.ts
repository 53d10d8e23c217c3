import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { compileCacheFolder } from '../lib/compile-cache-folder.ts'
import { LruCache } from '../lib/lru-cache.ts'
import { threadCpuLimit } from '../lib/thread-cpu-limit.ts'
import { threadEnv } from '../lib/thread-env.ts'
import type { Rendered } from './markdown.ts'
import type { MetadataAndCode } from './serialized-metadata.ts'

/** A document to render, and the kind of result. */
export interface RenderWork {
  markdown: string
  result: keyof RenderResults
}

interface RenderResults {
  document: Rendered
  metadata: MetadataAndCode
}

/** Rejects documents that take more CPU time or memory than a thread may use. */
export class RenderLimitError extends Error {}

/** A worker thread that renders one document after another, of those that wait the shortest first. */
export interface RenderThread {
  render<Result extends keyof RenderResults>(markdown: string, result: Result): Promise<RenderResults[Result]>
  close(): void
}

// Markdown-it takes up to 10 s and 400 MB for a megabyte of markup.
const CPU_LIMIT_MS = 60_000
const MAX_HEAP_MB = 1024
// Documents that have exceeded a limit are not tried again until they change.
const MAX_REJECTED_DOCUMENTS = 100
// The thread takes about 20 MB of memory, which is freed when it ends.
const MAX_IDLE_MS = 10_000

/**
 * The thread starts on demand, and ends when it has been idle. A document that exceeds a limit ends it too, and is
 * rejected. A thread of low priority has the scheduling policy SCHED_IDLE (sched(7)).
 */
export function createRenderThread(
  priority: 'normal' | 'low',
  { cpuLimitMs = CPU_LIMIT_MS, maxHeapMb = MAX_HEAP_MB } = {},
): RenderThread {
  const closed = new AbortController()
  const rejected = new LruCache<string, RenderLimitError>(MAX_REJECTED_DOCUMENTS, () => 1)
  const waiting: { work: RenderWork; run: () => Promise<void> }[] = []
  let isRunning = false
  let worker: Worker | undefined
  let idleTimer: NodeJS.Timeout | undefined

  async function renderNow(work: RenderWork) {
    closed.signal.throwIfAborted()
    const known = rejected.get(work.markdown)
    if (known) throw known
    clearTimeout(idleTimer)
    worker ??= startThread(priority, maxHeapMb)
    try {
      const rendered = await resultOf(worker, work, cpuLimitMs, closed.signal)
      idleTimer = setTimeout(end, MAX_IDLE_MS).unref()
      return rendered
    } catch (error) {
      end()
      if (error instanceof RenderLimitError) rejected.set(work.markdown, error)
      throw error
    }
  }

  async function runWaiting(): Promise<void> {
    if (isRunning) return
    isRunning = true
    for (let next = takeShortest(waiting); next; next = takeShortest(waiting)) await next.run()
    isRunning = false
  }

  function end(): void {
    worker?.terminate()
    worker = undefined
  }

  return {
    render(markdown, result) {
      const { promise, resolve, reject } = Promise.withResolvers<RenderResults[typeof result]>()
      const work = { markdown, result }
      waiting.push({ work, run: () => renderNow(work).then(resolve, reject) })
      runWaiting()
      return promise
    },
    close() {
      closed.abort()
      clearTimeout(idleTimer)
      end()
    },
  }
}

function takeShortest<Waiting extends { work: RenderWork }>(waiting: Waiting[]): Waiting | undefined {
  const lengths = waiting.map(({ work }) => work.markdown.length)
  const [shortest] = waiting.splice(lengths.indexOf(Math.min(...lengths)), 1)
  return shortest
}

function startThread(priority: 'normal' | 'low', maxHeapMb: number): Worker {
  const worker = new Worker(new URL('./render-thread.js', import.meta.url), {
    execArgv: [],
    env: threadEnv(),
    workerData: { priority, compileCacheFolder: compileCacheFolder() },
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  })
  // A thread that is ended while it has no memory left emits an error, which would end the process.
  worker.on('error', () => {})
  return worker
}

async function resultOf(worker: Worker, work: RenderWork, cpuLimitMs: number, closed: AbortSignal) {
  using limit = threadCpuLimit(worker, cpuLimitMs)
  worker.ref()
  worker.postMessage(work)
  try {
    // `once` rejects when the thread emits an error.
    const [{ value, error }] = await once(worker, 'message', { signal: AbortSignal.any([limit.signal, closed]) })
    if (error) throw error
    return value
  } catch (error) {
    if (limit.signal.aborted) throw new RenderLimitError(`rendering takes more than ${cpuLimitMs / 1000} s of CPU time`)
    if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error
    throw new RenderLimitError('rendering takes too much memory')
  } finally {
    // Only a document that is rendered keeps the process alive.
    worker.unref()
  }
}
