import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { compileCacheFolder } from '../../lib/compile-cache-folder.ts'
import { backgroundSteps } from '../../lib/cooperative-scheduling.ts'
import { threadEnv } from '../../lib/thread-env.ts'
import { createIndexBuilder, type InvertedIndex, type SearchedPage, type SearchIndex } from './search-index.ts'

// Pages with longer passages are indexed in a thread. 10,000 posts take five seconds and 2 GB of short-lived objects,
// whose garbage collection would stop requests for up to 75 ms.
const MAX_MAIN_THREAD_BYTES = 250_000
// Of the passages in one message, so that the main thread copies few of them at once.
const MAX_MESSAGE_BYTES = 250_000

/** Builds the index. Returns `previous` if its pages are the same. Rejects when the signal is aborted. */
export async function buildSearchIndex(
  pages: SearchedPage[],
  signal: AbortSignal,
  previous?: SearchIndex,
): Promise<SearchIndex> {
  if (previous && isSame(previous.pages, pages)) return previous
  if (bytesOf(pages) <= MAX_MAIN_THREAD_BYTES) return { pages, ...(await buildHere(pages, signal)) }
  // Where no thread can be started, the index is built without one.
  const index = await buildInThread(pages, signal).catch(() => buildHere(pages, signal))
  return { pages, ...index }
}

function isSame(previous: SearchedPage[], pages: SearchedPage[]): boolean {
  return previous.length === pages.length && pages.every((page, index) => isUnchanged(previous[index], page))
}

function isUnchanged(previous: SearchedPage | undefined, page: SearchedPage): boolean {
  const names = ['path', 'title', 'description', 'label', 'tags'] as const
  return (
    previous !== undefined &&
    names.every((name) => previous[name] === page[name]) &&
    (previous.passages === page.passages || Buffer.compare(previous.passages, page.passages) === 0)
  )
}

function bytesOf(pages: SearchedPage[]): number {
  return pages.reduce((sum, { passages }) => sum + passages.length, 0)
}

async function buildHere(pages: SearchedPage[], signal: AbortSignal): Promise<InvertedIndex> {
  signal.throwIfAborted()
  const builder = createIndexBuilder()
  const step = backgroundSteps(signal)
  for (const page of pages) {
    builder.add(page)
    await step()
  }
  return builder.finish()
}

/** The thread ends with its work, which frees its memory. */
async function buildInThread(pages: SearchedPage[], signal: AbortSignal): Promise<InvertedIndex> {
  signal.throwIfAborted()
  const worker = new Worker(new URL('./index-thread.js', import.meta.url), {
    execArgv: [],
    env: threadEnv(),
    workerData: { compileCacheFolder: compileCacheFolder() },
  })
  // Without a listener, an error after the abort would end the process.
  worker.on('error', () => {})
  try {
    for (const part of partsOf(pages)) await reply(part)
    return await reply([])
  } finally {
    await worker.terminate()
  }

  /**
   * The thread replies to each part, so one part at most is copied at a time. The reply to an empty part is the index.
   */
  async function reply(part: SearchedPage[]): Promise<InvertedIndex> {
    worker.postMessage(part)
    // `once` rejects when the thread emits an error.
    const [index] = await once(worker, 'message', { signal })
    return index
  }
}

function* partsOf(pages: SearchedPage[]): Generator<SearchedPage[]> {
  let [from, bytes] = [0, 0]
  for (const [index, { passages }] of pages.entries()) {
    bytes += passages.length
    if (bytes < MAX_MESSAGE_BYTES && index < pages.length - 1) continue
    yield pages.slice(from, index + 1)
    from = index + 1
    bytes = 0
  }
}
