import { type CalendarSource, createCalendarSource } from '../content/calendar.ts'
import { describeContent, isDescribed } from '../content/description.ts'
import { createSaved } from '../content/saved.ts'
import { negotiate } from '../http/negotiate.ts'
import { notFound, Refusal } from '../http/refusal.ts'
import { remembered } from '../http/remembered.ts'
import type { Reply } from '../http/reply.ts'
import { sendRepresentation } from '../http/representation.ts'
import type { Request } from '../http/request.ts'
import type { Admit } from '../http/routes.ts'
import type { HttpServer } from '../http/server.ts'
import type { Log } from '../log.ts'
import type { OAuthParts } from '../oauth/parts.ts'
import { serveContributions } from './contributions-route.ts'
import { isPage, type PageForms } from './forms.ts'
import { type Frame, layout, pageOf } from './layout.ts'
import type { Press } from './press.ts'
import { NOT_FOUND, problemOf, sendMethodNotAllowed, sendProblem } from './problem.ts'
import { serveSecurityTxt } from './security-txt.ts'
import { createFindVisitor, type FindVisitor, orNobody, readerOf, type Visitor } from './visitor.ts'

const formFor = remembered((accept) => negotiate(accept, ['html', 'markdown']))

type SiteParts = Pick<OAuthParts, 'config' | 'database' | 'browserSession'> & { log: Log }

export interface Site {
  /** When it is prepared for the first time. Until then, whoever asks for a page waits; the API does not. */
  opened: Promise<unknown>
  /** The title of the site; undefined until it is prepared for the first time. */
  title(): string | undefined
  /** What every page of the site has around it, as it is now. */
  frame(): Promise<Frame>
  /** Answers for what went wrong, where a person is looking. */
  refused(request: Request, reply: Reply, refusal: Refusal): Promise<Reply>
  /** Reads the content folder again. */
  refresh(): void
  close(): void
}

/** The public side. A request only sends what is ready: pages are prepared when something changes, not when asked for. */
export function serveSite(
  app: HttpServer,
  parts: SiteParts,
  { accountApi, counted }: { accountApi: object; counted: Admit },
): Site {
  const { config, database, log, browserSession } = parts
  const findVisitor = orNobody(createFindVisitor(parts), database)
  const visitorOf: FindVisitor = async (request) =>
    browserSession.isClaimed(request) ? findVisitor(request) : undefined
  const saved = createSaved(database)
  const calendar: CalendarSource = createCalendarSource(saved, config.github, {
    changed: () => press?.refresh(),
    failed: (error) => log.warn({ err: error }, 'could not get the contributions'),
  })
  const descriptions = { 'account-api': accountApi, 'content-api': describeContent(config) }
  let press: Press | undefined
  let isClosed = false
  const opened = open()
  // Whoever waits for it sees the failure; until somebody does, it must not end the process.
  opened.catch(() => {})

  // Before anything is made of a body that a page has no use for.
  app.check((request, reply) => {
    if (isToBeWritten(request)) sendMethodNotAllowed(reply)
  })
  serveContributions(app, calendar, counted)
  serveSecurityTxt(app, config, opened)
  app.get('*', (request, reply) => {
    if (isOurs(request.path)) return refuseUnknownCall(request, reply)
    const ready = press && !press.settled() ? press : undefined
    return ready ? send(ready, request, reply) : settled().then((press) => send(press, request, reply))
  })

  async function refuseUnknownCall(request: Request, reply: Reply): Promise<never> {
    await counted(request, reply)
    throw new Refusal(notFound)
  }

  async function open(): Promise<Press> {
    const { createPress } = await import('./press.ts')
    press = await createPress(config, descriptions, calendar, saved, log)
    if (isClosed) press.close()
    return press
  }

  async function settled(): Promise<Press> {
    const press = await opened
    await press.settled()
    return press
  }

  function send(press: Press, request: Request, reply: Reply) {
    const path = pathOf(request)
    const found = press.find(path)
    if (found) return isPage(found) ? sendPage(press, request, reply, found) : sendRepresentation(request, reply, found)
    const inMarkdown = pageInMarkdown(press, path)
    if (inMarkdown) return sendRepresentation(request, reply, inMarkdown.markdown)
    const bare = withoutSlash(path)
    if (bare !== path && isPage(press.find(bare))) return reply.redirect(bare + request.search, 308)
    throw new Refusal(notFound)
  }

  function sendPage(press: Press, request: Request, reply: Reply, page: PageForms) {
    const form = formFor(request.headers.accept)
    const isAnybody = form === 'markdown' || !browserSession.isClaimed(request)
    if (isAnybody) return sendRepresentation(request, reply, page[form])
    return findVisitor(request).then((visitor) =>
      visitor ? sendTo(visitor, reply, page, press.frame()) : sendRepresentation(request, reply, page.html),
    )
  }

  function isToBeWritten(request: Request): boolean {
    if (request.method === 'GET' || request.method === 'HEAD' || !press) return false
    const path = pathOf(request)
    return isDescribed(path) || press.has(withoutSlash(path)) || pageInMarkdown(press, path) !== undefined
  }

  function pageInMarkdown(press: Press, path: string): PageForms | undefined {
    const page = path.endsWith('.md') ? press.find(pageOf(path)) : undefined
    return isPage(page) ? page : undefined
  }

  /** Signed in, everybody has a page of their own: drawn for them, and kept by nobody. */
  function sendTo(visitor: Visitor, reply: Reply, { parts: page, html: { headers } }: PageForms, frame: Frame) {
    return reply
      .prepared({ ...headers, 'cache-control': 'private, no-store' })
      .header('set-cookie', visitor.cookies)
      .type('text/html; charset=utf-8')
      .send(layout(frame, page, readerOf(visitor)))
  }

  return {
    opened,
    title: () => press?.frame().site.title,
    frame: async () => (await opened).frame(),
    async refused(request, reply, refusal) {
      const { frame } = await opened
      if (isToBeWritten(request)) return sendMethodNotAllowed(reply)
      const problem = refusal.kind === notFound ? NOT_FOUND : problemOf(request, refusal)
      return sendProblem(request, reply, frame(), problem, await visitorOf(request))
    },
    refresh: () => press?.refresh(),
    close() {
      isClosed = true
      press?.close()
    },
  }
}

/** Whatever the spelling, one address is one page. */
function pathOf({ path, isPlain }: Request): string {
  return isPlain ? path : encodeURI(path)
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

/** What the API answers for, also when there is nothing. */
export function isOurs(path: string): boolean {
  return path.startsWith('/api/') || path === '/api'
}
