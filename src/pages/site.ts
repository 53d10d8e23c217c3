import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type CalendarSource, createCalendarSource } from '../content/calendar.ts'
import { describeContent } from '../content/description.ts'
import { createSaved } from '../content/saved.ts'
import { negotiate } from '../http/negotiate.ts'
import type { Refusal } from '../http/refusal.ts'
import { addVary, sendRepresentation } from '../http/representation.ts'
import type { OAuthParts } from '../oauth/parts.ts'
import { serveContributions } from './contributions-route.ts'
import type { PageForms } from './forms.ts'
import { type Frame, layout, pageOf } from './layout.ts'
import { createPress, type Press } from './press.ts'
import { NOT_FOUND, problemOf, sendMethodNotAllowed, sendProblem } from './problem.ts'
import { serveSecurityTxt } from './security-txt.ts'
import { createFindVisitor, type FindVisitor, orNobody, readerOf, type Visitor } from './visitor.ts'

type SiteParts = Pick<OAuthParts, 'config' | 'database' | 'browserSession'> & { log: FastifyBaseLogger }

export interface Site {
  /** What every page of the site has around it, as it is now. */
  frame(): Frame
  /** Answers what no route answers, outside of the API. */
  notFound(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
  /** Answers for what went wrong, where a person is looking. */
  refused(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): Promise<FastifyReply>
  /** Reads the content folder again. */
  refresh(): void
  close(): void
}

/** The public side. A request only sends what is ready: pages are prepared when something changes, not when asked for. */
export async function serveSite(app: FastifyInstance, parts: SiteParts, accountApi: object): Promise<Site> {
  const { config, database, log, browserSession } = parts
  const findVisitor = orNobody(createFindVisitor(parts), database)
  const visitorOf: FindVisitor = async (request) =>
    browserSession.isClaimed(request) ? findVisitor(request) : undefined
  const saved = createSaved(database)
  const calendar: CalendarSource = createCalendarSource(saved, config.github, {
    changed: () => press.refresh(),
    failed: (error) => log.warn({ err: error }, 'could not get the contributions'),
  })
  const descriptions = { 'account-api': accountApi, 'content-api': describeContent(config.baseUrl) }
  const press: Press = await createPress(config, descriptions, calendar, saved, log)

  app.addHook('onRequest', (request, reply, done) => {
    // Before anything is made of a body that a page has no use for.
    if (isToBeWritten(request)) sendMethodNotAllowed(reply)
    else done()
  })
  serveContributions(app, calendar)
  serveSecurityTxt(app, config, press)
  app.get('*', async (request, reply) => {
    const path = pathOf(request)
    if (isOurs(path)) return reply.callNotFound()
    const { files, pages, drafts } = await press.current()
    const file = files.get(path) ?? drafts.get(path)
    if (file) return sendRepresentation(request, reply, file)
    const page = pages.get(path)
    if (page) {
      addVary(reply, 'Accept')
      addVary(reply, 'Cookie')
      const form = negotiate(request.headers.accept, ['html', 'markdown'])
      const visitor = form === 'html' ? await visitorOf(request) : undefined
      return visitor ? sendTo(visitor, reply, page) : sendRepresentation(request, reply, page[form])
    }
    const inMarkdown = pages.get(pageOf(path))
    if (inMarkdown && path.endsWith('.md')) return sendRepresentation(request, reply, inMarkdown.markdown)
    const bare = withoutSlash(path)
    if (bare !== path && pages.has(bare)) return reply.redirect(bare + queryOf(request), 308)
    return notFound(request, reply)
  })

  function isToBeWritten(request: FastifyRequest): boolean {
    return !['GET', 'HEAD'].includes(request.method) && press.has(withoutSlash(pathOf(request)))
  }

  /** Signed in, everybody has a page of their own: drawn for them, and kept by nobody. */
  function sendTo(visitor: Visitor, reply: FastifyReply, { parts: page, html: { headers } }: PageForms) {
    return reply
      .headers({ ...headers, 'Cache-Control': 'private, no-store', 'Set-Cookie': visitor.cookies })
      .type('text/html; charset=utf-8')
      .send(layout(press.frame(), page, readerOf(visitor)))
  }

  async function notFound(request: FastifyRequest, reply: FastifyReply) {
    if (isToBeWritten(request)) return sendMethodNotAllowed(reply)
    return sendProblem(request, reply, press.frame(), NOT_FOUND, await visitorOf(request))
  }

  return {
    frame: () => press.frame(),
    notFound,
    refused: async (request, reply, refusal) =>
      sendProblem(request, reply, press.frame(), problemOf(request, refusal), await visitorOf(request)),
    refresh: () => press.refresh(),
    close: () => press.close(),
  }
}

/** Whatever the spelling, one address is one page. */
function pathOf({ url }: FastifyRequest): string {
  const [path = ''] = url.split('?')
  try {
    return encodeURI(decodeURI(path))
  } catch {
    return path
  }
}

function queryOf({ url }: FastifyRequest): string {
  return url.includes('?') ? url.slice(url.indexOf('?')) : ''
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

/** What the API answers for, also when there is nothing. */
export function isOurs(path: string): boolean {
  return /^\/api(\/|$)/.test(path)
}
