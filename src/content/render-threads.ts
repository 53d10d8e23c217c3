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

export interface RenderThreads {
  render<Result extends keyof RenderResults>(markdown: string, result: Result): Promise<RenderResults[Result]>
  close(): void
}

// The survey uses one of them at a time: a page that a client waits for does not wait for a long document of the survey.
const MAX_THREADS = 2
// Markdown-it takes up to 10 s for a megabyte of markup on a slow machine.
const TIME_LIMIT_MS = 60_000
// A thread takes about 20 MB of memory, which is freed when it ends.
const MAX_IDLE_MS = 10_000

/**
 * Renders documents in worker threads, which start on demand and end when they have been idle. A document that takes
 * longer than `timeLimitMs` ends its thread, and is rejected.
 */
export function createRenderThreads(timeLimitMs = TIME_LIMIT_MS): RenderThreads {
  const idle: Worker[] = []
  const waiting: PromiseWithResolvers<void>[] = []
  const closed = new AbortController()
  let busy = 0
  let idleTimer: NodeJS.Timeout | undefined

  function endIdle(): void {
    for (const worker of idle.splice(0)) worker.terminate()
  }

  return {
    async render(markdown, result) {
      while (busy >= MAX_THREADS) {
        const turn = Promise.withResolvers<void>()
        waiting.push(turn)
        await turn.promise
      }
      busy += 1
      clearTimeout(idleTimer)
      try {
        const worker = idle.pop() ?? startThread()
        const rendered = await resultOf(worker, { markdown, result }, timeLimitMs, closed.signal)
        idle.push(worker)
        return rendered
      } finally {
        busy -= 1
        waiting.shift()?.resolve()
        if (busy === 0) idleTimer = setTimeout(endIdle, MAX_IDLE_MS).unref()
      }
    },
    close() {
      closed.abort()
      clearTimeout(idleTimer)
      endIdle()
    },
  }
}

function startThread(): Worker {
  const cache = getCompileCacheDir()
  // Node adds a folder for its version to the one that it is given.
  const workerData = { compileCacheFolder: cache && dirname(cache) }
  return new Worker(new URL('./render-thread.js', import.meta.url), { execArgv: [], workerData })
}

/** Ends the thread if it has no result. */
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
    worker.terminate()
    throw limit.aborted ? new SlowDocumentError(`rendering takes longer than ${timeLimitMs / 1000} s`) : error
  } finally {
    // Only a document that is rendered keeps the process alive.
    worker.unref()
  }
}
