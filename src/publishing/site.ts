// How a page request gets its response:
//
// 1. Look-up. `Publisher.find` finds the path in the current `Publication`: the pages and files of the site as they
//    were planned last (publication.ts). Its pages are a `LazyMap`: the value of a page is made when it is first looked
//    up. The result is a `Sendable`: the `PageVariants` of a page, the `LazyResponse` of a file that is kept in memory,
//    or a `DiskFile`, which reads its content with each request (page-variants.ts). Social cards and resized pictures
//    are found by paths of their own kinds. A path that is not found may be that of a page as markdown (`.md`), of a
//    page with a slash at its end (308), or of a redirect.
// 2. Variant. `PageVariants` has a `LazyResponse` for HTML and one for markdown. `Accept` chooses one (RFC 9110,
//    section 12.5.1). For a signed-in visitor, steps 3 and 4 give the headers. The page is then rendered again with the
//    visitor's name, and sent with `no-store`, without steps 5 and 6.
// 3. Cache. `LazyResponse.ready` is the `Representation` that the `ResponseCache` has for this publication
//    (response-cache.ts). It is sent in the same iteration of the event loop.
// 4. Build. Without one, `LazyResponse.prepare` renders the page to a `ResponseSource`: media type, content and
//    headers. The cache makes a `Representation` of it and keeps that.
// 5. Encoding and status. A `Representation` has a `PrebuiltResponse` for 200 and one for 304 in each content encoding.
//    `sendRepresentation` chooses one by `Accept-Encoding`, `If-None-Match` and `If-Modified-Since`
//    (http/representation.ts).
// 6. Write. `Reply.sendPrebuilt` adds the request id to the header lines of the `PrebuiltResponse`. A head and a small
//    body leave in one write.
import { type CalendarSource, createCalendarSource } from '../content/calendar.ts'
import type { ContentReport } from '../content/check-content.ts'
import { isDescribed } from '../content/content-routes.ts'
import { createHighlightCache } from '../content/highlight-cache.ts'
import { pageOf } from '../content/page-paths.ts'
import { createSavedContent } from '../content/saved-content.ts'
import type { Site as SiteSettings } from '../content/site.ts'
import { negotiate } from '../http/negotiate.ts'
import { notFound, Refusal } from '../http/refusal.ts'
import type { Reply } from '../http/reply.ts'
import { sendRepresentation } from '../http/representation.ts'
import { isApiPath, type Request } from '../http/request.ts'
import type { Guard } from '../http/routes.ts'
import type { HttpServer } from '../http/server.ts'
import { boundedMemo } from '../lib/bounded-memo.ts'
import { runWithPriority } from '../lib/cooperative-scheduling.ts'
import { chain, type MaybePromise } from '../lib/maybe-promise.ts'
import type { Observer } from '../lib/observer.ts'
import type { Log } from '../logging/log.ts'
import type { OAuthParts } from '../oauth/parts.ts'
import type { ApiDescriptions } from '../pages/api/api-docs.ts'
import { serveContributions } from '../pages/contributions-route.ts'
import { type Frame, layout } from '../pages/layout.ts'
import { NOT_FOUND, problemOf, sendMethodNotAllowed, sendProblem } from '../pages/problem.ts'
import { serveSecurityTxt } from '../pages/security-txt.ts'
import { createFindVisitor, type FindVisitor, orSignedOut, readerOf, type Visitor } from '../pages/visitor.ts'
import { serveMcp } from './mcp/serve-mcp.ts'
import { type DiskFile, isDiskFile, isPage, type PageVariants } from './page-variants.ts'
import type { Publisher } from './publisher.ts'
import type { LazyResponse } from './response-cache.ts'
import { serveSearch } from './search-route.ts'
import { findRedirect, sendRedirect } from './send-redirect.ts'

const negotiatedVariant = boundedMemo((accept) => negotiate(accept, ['html', 'markdown']))

type SiteParts = Pick<OAuthParts, 'config' | 'database' | 'browserSession'> & {
  log: Log
  observer: Observer | undefined
}

export interface Site {
  /**
   * Builds the first publication, unless it was begun before. Requests for pages call this function and wait. Requests
   * to the API do not.
   */
  open(): Promise<unknown>
  /** The settings of `site.yaml`. Undefined until the first publication is built. */
  settings(): SiteSettings | undefined
  /** The state of the content folder as it was last read. */
  report(): Promise<ContentReport>
  /** The current site settings and assets for the layout of a page. */
  frame(): Promise<Frame>
  /** Sends the error page, or the error as markdown or JSON, by content negotiation. */
  sendError(request: Request, reply: Reply, refusal: Refusal): Promise<Reply>
  /** Reads the content folder again. */
  refresh(): void
  close(): void
}

/**
 * Serves the public site from prebuilt responses. A page is rendered at its first request or ahead of it
 * (background-work.ts), and kept in the response cache.
 */
export function serveSite(
  server: HttpServer,
  parts: SiteParts,
  { descriptions, rateLimitGuard }: { descriptions: ApiDescriptions; rateLimitGuard: Guard },
): Site {
  const { config, database, log, observer, browserSession } = parts
  const findVisitor = orSignedOut(createFindVisitor(parts), database)
  const visitorOf: FindVisitor = async (request) =>
    browserSession.hasCookie(request) ? findVisitor(request) : undefined
  const highlightCache = createHighlightCache(database, (error) =>
    log.warn({ err: error }, 'could not save the highlighted code'),
  )
  const calendar: CalendarSource = createCalendarSource(createSavedContent(database), config.github, {
    changed: () => publisher?.rebuild(),
    failed: (error) => log.warn({ err: error }, 'could not get the contributions'),
  })
  let publisher: Publisher | undefined
  let opening: Promise<Publisher> | undefined
  let isClosed = false

  // A hook, so that the 405 is sent before the body is parsed.
  server.addHook((request, reply) => {
    if (isWriteToPage(request)) sendMethodNotAllowed(reply)
  })
  serveContributions(server, calendar, rateLimitGuard)
  serveSecurityTxt(server, config, open)
  serveSearch(server, { upToDate, visitorOf, rateLimitGuard })
  serveMcp(server, { upToDate, rateLimitGuard, descriptions, config, log })
  server.get('*', (request, reply) => {
    // Other methods of an unknown API path reach `onNotFound` in app.ts.
    if (isApiPath(request.path)) return refuseUnknownCall(request, reply)
    const ready = publisher && !publisher.runningRebuild() ? publisher : undefined
    return chain(ready ?? upToDate(), (publisher) => send(publisher, request, reply))
  })

  async function refuseUnknownCall(request: Request, reply: Reply): Promise<never> {
    await rateLimitGuard(request, reply)
    throw new Refusal(notFound)
  }

  function open(): Promise<Publisher> {
    opening ??= loadPublisher()
    return opening
  }

  async function loadPublisher(): Promise<Publisher> {
    const { createPublisher } = await import('./publisher.ts')
    publisher = await createPublisher({ config, descriptions, calendar, highlightCache, log, observer })
    if (isClosed) publisher.close()
    return publisher
  }

  async function upToDate(): Promise<Publisher> {
    const opened = await open()
    await opened.runningRebuild()
    return opened
  }

  function send(publisher: Publisher, request: Request, reply: Reply): MaybePromise<Reply> {
    calendar.renew()
    const path = pathOf(request)
    const content = publisher.find(path)
    if (content)
      return isPage(content) ? sendPage(publisher, request, reply, content) : sendFile(request, reply, content)
    const inMarkdown = markdownPageAt(publisher, path)
    if (inMarkdown) return sendLazily(request, reply, inMarkdown.markdown)
    const canonicalPath = canonicalPathOf(path)
    if (canonicalPath !== path && isPage(publisher.find(canonicalPath)))
      return reply.redirect(canonicalPath + request.search, 308)
    const location = findRedirect(publisher, canonicalPath)
    if (location !== undefined) return sendRedirect(request, reply, location)
    throw new Refusal(notFound)
  }

  function sendPage(publisher: Publisher, request: Request, reply: Reply, page: PageVariants): MaybePromise<Reply> {
    const variant = negotiatedVariant(request.headers.accept)
    const isShared = variant === 'markdown' || !browserSession.hasCookie(request)
    if (isShared) return sendLazily(request, reply, page[variant])
    return chain(findVisitor(request), (visitor) =>
      visitor ? sendPersonal(visitor, reply, page, publisher.frame()) : sendLazily(request, reply, page.html),
    )
  }

  function isWriteToPage(request: Request): boolean {
    if (request.method === 'GET' || request.method === 'HEAD' || !publisher) return false
    const path = pathOf(request)
    return isDescribed(path) || publisher.has(canonicalPathOf(path))
  }

  function markdownPageAt(publisher: Publisher, path: string): PageVariants | undefined {
    const page = path.endsWith('.md') ? publisher.find(pageOf(path)) : undefined
    return isPage(page) ? page : undefined
  }

  /** Renders the page for a signed-in visitor. The response is not stored by caches. */
  async function sendPersonal(visitor: Visitor, reply: Reply, { build, html }: PageVariants, frame: Frame) {
    const { headers } = html.ready ?? (await runWithPriority(() => html.prepare()))
    const page = await build()
    return reply
      .mergeHeaders({ ...headers, 'cache-control': 'private, no-store' })
      .header('set-cookie', visitor.cookies)
      .type('text/html; charset=utf-8')
      .send(layout(frame, page, readerOf(visitor)))
  }

  return {
    open,
    settings: () => publisher?.frame().site,
    report: async () => (await upToDate()).report(),
    frame: async () => (await open()).frame(),
    async sendError(request, reply, refusal) {
      const { frame } = await open()
      // The hook above knows no pages before the site is prepared.
      if (isWriteToPage(request)) return sendMethodNotAllowed(reply)
      const problem = refusal.kind === notFound ? NOT_FOUND : problemOf(request, refusal)
      return sendProblem(request, reply, frame(), problem, await visitorOf(request))
    },
    refresh: () => publisher?.refresh(),
    close() {
      isClosed = true
      publisher?.close()
    },
  }
}

function sendFile(request: Request, reply: Reply, file: LazyResponse | DiskFile): MaybePromise<Reply> {
  return isDiskFile(file) ? file.send(request, reply) : sendLazily(request, reply, file)
}

/** A response that is ready is sent in this iteration of the event loop. */
function sendLazily(request: Request, reply: Reply, response: LazyResponse): MaybePromise<Reply> {
  return chain(response.ready ?? runWithPriority(() => response.prepare()), (representation) =>
    sendRepresentation(request, reply, representation),
  )
}

/** The normalised path, so that each spelling of an address (percent-encoded or not) finds the same page. */
function pathOf({ path, isPlain }: Request): string {
  return isPlain ? path : encodeURI(path)
}

function canonicalPathOf(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}
