import { once } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Rendered } from './markdown.ts'
import type { SurveyedFacts } from './packed-facts.ts'

/** A document to render, and what of it is wanted. */
export interface RenderWork {
  markdown: string
  result: keyof RenderResults
}

export interface RenderResults {
  document: Rendered
  facts: SurveyedFacts
}

/** Rejects documents that take longer than the time limit. */
export class SlowDocumentError extends Error {}

/** A worker thread that renders one document after another. */
export interface RenderThread {
  render<Result extends keyof RenderResults>(markdown: string, result: Result): Promise<RenderResults[Result]>
  close(): void
}

// Markdown-it takes up to 10 s for a megabyte of markup on a slow machine.
const TIME_LIMIT_MS = 60_000
// The thread takes about 20 MB of memory, which is freed when it ends.
const MAX_IDLE_MS = 10_000

/**
 * The thread starts on demand, and ends when it has been idle. A document that takes longer than `timeLimitMs` ends it
 * too, and is rejected. A thread of low priority runs while the cores have nothing else to do.
 */
export function createRenderThread(priority: 'normal' | 'low', timeLimitMs = TIME_LIMIT_MS): RenderThread {
  const closed = new AbortController()
  let worker: Worker | undefined
  let queue: Promise<unknown> = Promise.resolve()
  let idleTimer: NodeJS.Timeout | undefined

  async function renderNow(work: RenderWork) {
    closed.signal.throwIfAborted()
    clearTimeout(idleTimer)
    worker ??= startThread(priority)
    try {
      const rendered = await resultOf(worker, work, timeLimitMs, closed.signal)
      idleTimer = setTimeout(end, MAX_IDLE_MS).unref()
      return rendered
    } catch (error) {
      end()
      throw error
    }
  }

  function end(): void {
    worker?.terminate()
    worker = undefined
  }

  return {
    render(markdown, result) {
      const rendering = queue.then(() => renderNow({ markdown, result }))
      queue = rendering.catch(() => {})
      return rendering
    },
    close() {
      closed.abort()
      clearTimeout(idleTimer)
      end()
    },
  }
}

function startThread(priority: 'normal' | 'low'): Worker {
  const cache = getCompileCacheDir()
  // Node adds a folder for its version to the one that it is given.
  const workerData = { priority, compileCacheFolder: cache && dirname(cache) }
  return new Worker(new URL('./render-thread.js', import.meta.url), { execArgv: [], workerData })
}

async function resultOf(worker: Worker, work: RenderWork, timeLimitMs: number, closed: AbortSignal) {
  const limit = AbortSignal.timeout(timeLimitMs)
  worker.ref()
  worker.postMessage(work)
  try {
    // `once` rejects when the thread emits an error.
    const [{ value, error }] = await once(worker, 'message', { signal: AbortSignal.any([limit, closed]) })
    if (error) throw error
    return value
  } catch (error) {
    throw limit.aborted ? new SlowDocumentError(`rendering takes longer than ${timeLimitMs / 1000} s`) : error
  } finally {
    // Only a document that is rendered keeps the process alive.
    worker.unref()
  }
}
