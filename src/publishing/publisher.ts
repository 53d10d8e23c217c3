import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { CalendarSource } from '../content/calendar.ts'
import type { ContentReport } from '../content/check-content.ts'
import { createDocumentRenderer } from '../content/document-renderer.ts'
import { createHighlighter } from '../content/highlight.ts'
import type { HighlightCache } from '../content/highlight-cache.ts'
import { pageOf } from '../content/page-paths.ts'
import type { Found } from '../content/search/find-pages.ts'
import { runSlowly, yieldToRequests } from '../lib/cooperative-scheduling.ts'
import type { Observer } from '../lib/observer.ts'
import type { Log } from '../logging/log.ts'
import type { ApiDescriptions } from '../pages/api/api-docs.ts'
import type { Frame } from '../pages/layout.ts'
import { openPictures } from '../pictures/pictures.ts'
import { createBackgroundWork } from './background-work.ts'
import { createContentLog } from './content-log.ts'
import { createContentReader } from './content-reader.ts'
import { reportOnce } from './content-report.ts'
import { resizedPictureAt } from './generated-images.ts'
import { createHighlightingRenderer } from './highlighting-renderer.ts'
import { pathOfKey, type Sendable } from './page-variants.ts'
import { createStyleRetention } from './previous-styles.ts'
import { type Publication, planPublication } from './publication.ts'
import { createPublishDocuments } from './published-documents.ts'
import { createRebuildSchedule } from './rebuild-schedule.ts'
import { ResponseCache } from './response-cache.ts'
import { createQueryQueue } from './search.ts'

/**
 * Rebuilds the publication when the calendar changes, when sizes of pictures were made, when code was highlighted, when
 * a scheduled document is due, at midnight UTC, and at a call of `refresh`. In development also when the content folder
 * changes.
 */
export interface Publisher {
  /** The page or file at a path. */
  find(path: string): Sendable | undefined
  /** Resolves when the running rebuild is done. Undefined if none is running, and always in production. */
  runningRebuild(): Promise<void> | undefined
  /** Whether a page, its markdown or a file is at a path. Drafts do not count. */
  has(path: string): boolean
  /** The target of the redirect at a path. Undefined if the path does not redirect. */
  redirect(path: string): string | undefined
  frame(): Frame
  /** The public posts and pages. */
  published(): Publication['published']
  /**
   * Undefined if the site has no search, and if no index is there within MAX_SEARCH_WAIT_MS. In production, the
   * previous index is used while a new one is built.
   */
  search(query: string): Promise<Found | undefined>
  /** The faults of the content folder at its last reading, and the documents that are not public yet. */
  report(): Promise<ContentReport>
  /** Starts a rebuild. The current publication is served until it is done. */
  rebuild(): void
  /** Starts a rebuild that reads the whole content folder again. */
  refresh(): void
  close(): void
}

const RETRY_INTERVAL_MS = 10_000
// After the start, the content analysis of a large site takes tens of seconds. A search does not wait for its end.
const MAX_SEARCH_WAIT_MS = 5_000

/** The dependencies of the publisher. */
export interface PublisherParts {
  config: Config
  descriptions: ApiDescriptions
  calendar: CalendarSource
  highlightCache: HighlightCache
  log: Log
  observer?: Pick<Observer, 'published'> | undefined
}

export async function createPublisher(parts: PublisherParts): Promise<Publisher> {
  const { config, descriptions, calendar, log } = parts
  const { baseUrl, contentDir, dataDir, mail } = config
  const isDevelopment = config.mode === 'development'
  const highlighter = await createHighlighter(parts.highlightCache)
  const renderer = createDocumentRenderer({
    onNoThread: (error) => log.warn({ err: error }, 'could not start a thread to render documents'),
  })
  const responses = new ResponseCache()
  const logContent = createContentLog(contentDir, log)
  const retainStyles = createStyleRetention()
  const schedule = createRebuildSchedule(rebuildNow, { debounces: isDevelopment })
  const runQuery = createQueryQueue()
  const highlighting = createHighlightingRenderer({
    renderer,
    highlighter,
    descriptions,
    onMissing: () => work.highlightSoon(),
  })
  const publishDocuments = createPublishDocuments(highlighting.render, baseUrl)
  const work = createBackgroundWork({
    renderer,
    highlighter,
    responses,
    logContent,
    log,
    observer: parts.observer,
    preparesPages: !isDevelopment,
    onHighlighted() {
      highlighting.forgetApiPages()
      schedule.request()
    },
  })
  const pictures = await openPictures(join(dataDir, 'pictures'), log, {
    changed: schedule.request,
    prepared: work.prepared,
  })
  const reader = createContentReader(contentDir, pictures.index)
  let current = await build()
  // In production the folder is read at the start and when `refresh` is called.
  if (isDevelopment) reader.watch(schedule.request)
  schedule.waitForNext(untilNextChangeMs())
  // The start does not wait for the code host.
  calendar.current().then(schedule.request, () => {})

  /** Builds the publication of the folder as it is now, and begins the work that follows. */
  async function build(previous?: Publication) {
    const startedAt = performance.now()
    const library = await reader.read()
    const publication = await planPublication(
      {
        library,
        previousRelated: previous?.related,
        calendar: calendar.known(),
        publishDocuments,
        codeStyles: highlighter.css(),
        responses,
        pictures,
        baseUrl,
        contentApi: descriptions.get('content-api') ?? {},
        apiPages: highlighting.apiPages,
        showsDrafts: isDevelopment,
        hasMailbox: isDevelopment && !mail.smtpUrl,
      },
      new Date(),
    )
    if (previous) {
      retainStyles(publication, previous)
      // The previous publication is served meanwhile. The start of the service does not wait for the feeds.
      await work.prepareFeeds(publication)
    }
    await yieldToRequests()
    responses.keepOnly((key) => hasContent(publication, pathOfKey(key)))
    await yieldToRequests()
    logContent.published(library, publication)
    work.begin(library, publication, startedAt)
    return { library, publication, report: reportOnce(library, work.metadataOf, baseUrl) }
  }

  /** Resolves to the milliseconds until the next rebuild. */
  async function rebuildNow(): Promise<number> {
    try {
      const rebuild = () => build(current.publication)
      // In development, the author waits for the page that was saved.
      current = await (isDevelopment ? rebuild() : runSlowly(rebuild))
      return untilNextChangeMs()
    } catch (error) {
      log.error({ err: error }, 'could not prepare the site, which stays as it was')
      reader.readAllNext()
      return RETRY_INTERVAL_MS
    }
  }

  /** Milliseconds until the next scheduled document, or until midnight UTC, when the calendar begins a new day. */
  function untilNextChangeMs(): number {
    const midnight = new Date().setUTCHours(24, 0, 0, 0)
    const next = Math.min(current.publication.nextChange?.valueOf() ?? midnight, midnight)
    return Math.max(0, next - Date.now()) + 1
  }

  return {
    find: (path) =>
      contentAt(current.publication, path) ??
      current.publication.cards.find(path) ??
      resizedPictureAt(path, pictures, current.library.attachments),
    // In development, a request after a saved file waits for the rebuild and so sees the change.
    runningRebuild: () => (isDevelopment ? schedule.running() : undefined),
    has: (path) => current.publication.pages.has(pageOf(path)) || current.publication.files.has(path),
    redirect: (path) => current.publication.redirects.targets.get(path),
    frame: () => current.publication.frame,
    published: () => current.publication.published,
    async search(query) {
      // In development, a search after a saved file finds the change.
      const latest = isDevelopment ? undefined : work.finishedAnalysis()?.search
      const index = latest ?? (await work.awaitAnalysisWithin(MAX_SEARCH_WAIT_MS))?.search
      return index && runQuery({ ...index, isPublic: (path) => current.publication.pages.has(path) }, query)
    },
    report: () => current.report(),
    rebuild: schedule.request,
    refresh() {
      reader.readAllNext()
      schedule.request()
    },
    close() {
      schedule.end()
      reader.close()
      work.end()
      renderer.close()
      pictures.close()
    },
  }
}

/** No page can replace a file. */
function contentAt({ pages, drafts, files }: Publication, path: string): Sendable | undefined {
  return files.get(path) ?? drafts.get(path) ?? pages.get(path)
}

function hasContent({ pages, drafts, files }: Publication, path: string): boolean {
  return files.has(path) || drafts.has(path) || pages.has(path)
}
