import { setTimeout as pause } from 'node:timers/promises'
import { siteFaults } from '../content/content-faults.ts'
import type { DocumentRenderer } from '../content/document-renderer.ts'
import type { Highlighter } from '../content/highlight.ts'
import type { Library } from '../content/library.ts'
import type { PackedFacts } from '../content/packed-facts.ts'
import { yieldToRequests } from '../lib/background-turns.ts'
import type { Observer } from '../lib/observer.ts'
import type { Log } from '../logging/log.ts'
import type { createContentLog } from './content-log.ts'
import { FEED_PATHS } from './public-files.ts'
import type { Publication } from './publication.ts'
import { LazyResponse, type ResponseCache } from './response-cache.ts'
import { type Survey, surveyDocuments } from './survey.ts'

interface WorkParts {
  renderer: DocumentRenderer
  highlighter: Highlighter
  responses: ResponseCache
  logContent: ReturnType<typeof createContentLog>
  log: Log
  observer: Pick<Observer, 'published'> | undefined
  /** Called when code has been highlighted, so that the pages have to be made again. */
  onHighlighted: () => void
  /** Whether all pages are prepared ahead of their requests. */
  warmsUp: boolean
}

// The first requests after the start come before the preparation of all pages.
const WARM_UP_DELAY_MS = 2_000
const MAX_FEED_WAIT_MS = 2_000

/**
 * The work that follows a publication, while it is served already: the feeds, the survey of all documents, the
 * highlighting of new code, and the preparation of the pages, one after the other. Each of them can keep a core busy.
 */
export function createBackgroundWork(parts: WorkParts) {
  const { renderer, highlighter, responses, logContent, log, observer, onHighlighted, warmsUp } = parts
  const warmUpFrom = performance.now() + WARM_UP_DELAY_MS
  let controller = new AbortController()
  let latest: Survey | undefined
  /** Facts by markdown source, from the latest survey and every rendering since. */
  let facts = new Map<string, PackedFacts>()
  let surveying: Promise<Survey | undefined> = Promise.resolve(undefined)
  /** Resolves to whether code was highlighted. Undefined while no highlighting runs. */
  let highlighting: Promise<boolean> | undefined
  let preparing: Promise<void> = Promise.resolve()

  async function survey(
    library: Library,
    publication: Publication,
    signal: AbortSignal,
    startedAt: number,
  ): Promise<Survey | undefined> {
    // Requests that wait for the publication come first.
    await yieldToRequests()
    await prepareFeeds(publication)
    const parts = { renderer, highlighter, known: facts, former: latest }
    const fresh = await surveyDocuments(library, publication, signal, parts).catch((error) => {
      if (signal.aborted) return undefined
      throw error
    })
    if (!fresh || signal.aborted) return undefined
    latest = fresh
    facts = fresh.facts
    if (highlighter.hasMissing()) highlightSoon()
    const faults = [...siteFaults(library, publication), ...fresh.faults]
    logContent.surveyed(library, faults, fresh.warnings)
    const milliseconds = performance.now() - startedAt
    observer?.published({ pages: publication.pages.size, faults: library.faults.length + faults.length, milliseconds })
    return fresh
  }

  async function highlight(): Promise<boolean> {
    await surveying
    const isChanged = await highlighter.highlightMissing()
    if (isChanged) onHighlighted()
    return isChanged
  }

  /** Highlights new code after the survey, which finds all of it. */
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
  async function prepareFeeds({ files }: Publication): Promise<void> {
    if (!warmsUp) return
    const prepareAll = async () => {
      for (const path of FEED_PATHS) {
        const feed = files.get(path)
        if (feed instanceof LazyResponse) await prepareAhead(feed)
      }
    }
    await Promise.race([prepareAll(), pause(MAX_FEED_WAIT_MS, undefined, { ref: false })])
  }

  async function prepareAhead(response: LazyResponse): Promise<void> {
    // A response that cannot be made is an error of its own requests, which log it.
    const representation = await response.prepare().catch(() => undefined)
    representation?.makeAll()
    await yieldToRequests()
  }

  async function warmUp(publication: Publication, signal: AbortSignal): Promise<void> {
    await pause(Math.max(0, warmUpFrom - performance.now()), undefined, { ref: false })
    for (const path of publication.pages.keys()) {
      const page = publication.pages.get(path)
      if (!page || page.isSeldomRead) continue
      for (const response of [page.html, page.markdown]) {
        if (signal.aborted || responses.isFull) return
        await prepareAhead(response)
      }
    }
  }

  async function prepare(publication: Publication, signal: AbortSignal): Promise<void> {
    if (!(await surveying)) return
    // Highlighted code makes a new publication, whose pages are prepared instead.
    if (await highlighting) return
    if (warmsUp) await warmUp(publication, signal)
  }

  return {
    prepareFeeds,
    /** Begins the work for a publication, and ends the work for the one before it. */
    begin(library: Library, publication: Publication, startedAt: number): void {
      controller.abort()
      controller = new AbortController()
      const { signal } = controller
      surveying = survey(library, publication, signal, startedAt)
      preparing = prepare(publication, signal).catch((error) =>
        log.error({ err: error }, 'could not survey the content'),
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
    /** The survey of the newest publication. */
    async newestSurvey(): Promise<Survey> {
      let awaited: Promise<Survey | undefined>
      // A newer publication has ended the awaited survey, and has begun one of its own.
      do {
        awaited = surveying
        const fresh = await awaited
        if (fresh) return fresh
      } while (awaited !== surveying)
      throw new Error('the survey has ended')
    },
    latestSurvey: () => latest,
    highlightSoon,
    end(): void {
      controller.abort()
    },
  }
}
