import { setTimeout as pause } from 'node:timers/promises'
import { siteFaults } from '../content/content-faults.ts'
import type { DocumentRenderer } from '../content/document-renderer.ts'
import type { Highlighter } from '../content/highlight.ts'
import type { Library } from '../content/library.ts'
import {
  deserializeReported,
  type ReportedMetadata,
  type SerializedMetadata,
  unrenderable,
} from '../content/serialized-metadata.ts'
import { runSlowly, yieldToRequests } from '../lib/cooperative-scheduling.ts'
import type { Observer } from '../lib/observer.ts'
import type { StoredText } from '../lib/stored-text.ts'
import type { Log } from '../logging/log.ts'
import { analyseDocuments, type ContentAnalysis } from './content-analysis.ts'
import type { createContentLog } from './content-log.ts'
import { FEED_PATHS, postsInFeed } from './public-files.ts'
import type { Publication } from './publication.ts'
import { LazyResponse, type ResponseCache } from './response-cache.ts'

interface WorkParts {
  renderer: DocumentRenderer
  highlighter: Highlighter
  responses: ResponseCache
  logContent: ReturnType<typeof createContentLog>
  log: Log
  observer: Pick<Observer, 'published'> | undefined
  /** Called when code has been highlighted, so that the pages have to be made again. */
  onHighlighted: () => void
  /** Whether pages are prepared ahead of their requests. */
  preparesPages: boolean
}

// The first requests after the start are served before the pages are prepared.
const PREPARATION_DELAY_MS = 2_000
const MAX_FEED_WAIT_MS = 2_000

/**
 * The work that follows a publication: the feeds, the content analysis of all documents, the highlighting of new code,
 * and the preparation of the pages. Each begins when the one before has ended, because each can keep a core busy. Feeds
 * that take longer than MAX_FEED_WAIT_MS are made beside the content analysis.
 */
export function createBackgroundWork(parts: WorkParts) {
  const { renderer, highlighter, responses, logContent, log, observer, onHighlighted, preparesPages } = parts
  const preparationStartMs = performance.now() + PREPARATION_DELAY_MS
  let controller = new AbortController()
  let latest: ContentAnalysis | undefined
  /** Metadata by markdown, from the latest content analysis and from those that were aborted since. */
  let metadata = new Map<StoredText, SerializedMetadata>()
  let analysing: Promise<ContentAnalysis | undefined> = Promise.resolve(undefined)
  /** Resolves to whether code was highlighted. Undefined while no highlighting runs. */
  let highlighting: Promise<boolean> | undefined
  let preparing: Promise<void> = Promise.resolve()

  async function analyse(
    library: Library,
    publication: Publication,
    signal: AbortSignal,
    startedAt: number,
  ): Promise<ContentAnalysis | undefined> {
    // Requests that wait for the publication come first.
    await yieldToRequests()
    await prepareFeeds(publication)
    const parts = { renderer, highlighter, known: metadata, previous: latest }
    const fresh = await analyseDocuments(library, publication, signal, parts).catch((error) => {
      if (signal.aborted) return undefined
      throw error
    })
    if (!fresh || signal.aborted) return undefined
    latest = fresh
    metadata = fresh.metadata
    if (highlighter.hasMissing()) highlightSoon()
    const faults = [...siteFaults(library, publication), ...fresh.faults]
    logContent.analysed(library, faults, fresh.warnings)
    const milliseconds = performance.now() - startedAt
    observer?.published({ pages: publication.pages.size, faults: library.faults.length + faults.length, milliseconds })
    return fresh
  }

  /** The content analysis of the newest publication. Undefined after the end of the work. */
  async function awaitAnalysisUnlessStopped(): Promise<ContentAnalysis | undefined> {
    let awaited: Promise<ContentAnalysis | undefined>
    // A newer publication has ended the awaited content analysis, and has begun one of its own.
    do {
      awaited = analysing
      const fresh = await awaited
      if (fresh) return fresh
    } while (awaited !== analysing)
    return undefined
  }

  /** The content analysis of the newest publication. Rejects after the end of the work. */
  async function awaitAnalysis(): Promise<ContentAnalysis> {
    const newest = await awaitAnalysisUnlessStopped()
    if (!newest) throw new Error('the background work was stopped')
    return newest
  }

  async function highlight(): Promise<boolean> {
    // The highlighter removes code that no document has from its cache, so all documents must have been read.
    if (!(await awaitAnalysisUnlessStopped())) return false
    const isChanged = await highlighter.highlightMissing()
    if (isChanged) onHighlighted()
    return isChanged
  }

  /** Highlights new code after the content analysis, which finds all of it. */
  function highlightSoon(): void {
    highlighting ??= highlight()
      .catch((error) => {
        log.error({ err: error }, 'could not highlight the code')
        return false
      })
      .finally(() => {
        highlighting = undefined
      })
  }

  /**
   * Prepares the feeds, which render up to a hundred posts each. Resolves after MAX_FEED_WAIT_MS at the latest: posts
   * that are slow to render delay nothing but the feeds.
   */
  async function prepareFeeds(publication: Publication): Promise<void> {
    if (!preparesPages) return
    await Promise.race([renderFeeds(publication), pause(MAX_FEED_WAIT_MS, undefined, { ref: false })])
  }

  /** The renderer keeps the rendered posts, so that making the feeds takes few iterations of the event loop. */
  async function renderFeeds({ published: { posts }, files }: Publication): Promise<void> {
    for (const post of postsInFeed(posts)) {
      await post.body().catch(() => {})
      await yieldToRequests()
    }
    for (const path of FEED_PATHS) {
      const feed = files.get(path)
      if (feed instanceof LazyResponse) await prepareAhead(feed)
    }
  }

  async function prepareAhead(response: LazyResponse): Promise<void> {
    // A response that cannot be made is an error of its own requests, which log it.
    const representation = await response.prepare().catch(() => undefined)
    representation?.compress()
    await yieldToRequests()
  }

  async function preparePages(publication: Publication, signal: AbortSignal): Promise<void> {
    await pause(Math.max(0, preparationStartMs - performance.now()), undefined, { ref: false })
    for (const path of publication.pages.keys()) {
      const page = publication.pages.get(path)
      if (!page || page.isLowPriority) continue
      for (const response of [page.html, page.markdown]) {
        if (signal.aborted || responses.isFull) return
        await prepareAhead(response)
      }
    }
  }

  async function prepare(publication: Publication, signal: AbortSignal): Promise<void> {
    if (!(await analysing)) return
    // Highlighted code makes a new publication, whose pages are prepared instead.
    if (await highlighting) return
    if (preparesPages) await runSlowly(() => preparePages(publication, signal))
  }

  return {
    prepareFeeds,
    /** Begins the work for a publication, and ends the work for the one before it. */
    begin(library: Library, publication: Publication, startedAt: number): void {
      controller.abort()
      controller = new AbortController()
      const { signal } = controller
      analysing = analyse(library, publication, signal, startedAt)
      preparing = prepare(publication, signal).catch((error) =>
        log.error({ err: error }, 'could not analyse or prepare the content'),
      )
    },
    /** Resolves when the newest publication is prepared. */
    async prepared(): Promise<void> {
      let awaited: Promise<void>
      // A newer publication may have replaced the awaited one meanwhile.
      do {
        awaited = preparing
        await awaited
      } while (awaited !== preparing)
    },
    awaitAnalysis,
    /** As `awaitAnalysis`, but resolves to undefined after this time. */
    awaitAnalysisWithin: (milliseconds: number): Promise<ContentAnalysis | undefined> =>
      Promise.race([awaitAnalysis(), pause(milliseconds, undefined, { ref: false })]),
    /** The latest content analysis that has ended. It may be that of an earlier publication. */
    finishedAnalysis: () => latest,
    /** The metadata of a document. A document that the content analysis could not render is rendered again. */
    async metadataOf(markdown: StoredText): Promise<ReportedMetadata> {
      const analysed = (await awaitAnalysis()).metadata.get(markdown)
      if (analysed) return deserializeReported(analysed)
      return renderer
        .readMetadata(markdown.toString(), false)
        .then(({ metadata }) => deserializeReported(metadata), unrenderable)
    },
    highlightSoon,
    end(): void {
      controller.abort()
    },
  }
}
