import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { type CalendarSource, createCalendarSource } from '../content/calendar.ts'
import { describeContent } from '../content/description.ts'
import { createSaved } from '../content/saved.ts'
import type { Database } from '../database/database.ts'
import { negotiate } from '../http/negotiate.ts'
import { addVary, sendRepresentation } from '../http/representation.ts'
import { serveContributions } from './contributions-route.ts'
import { pageOf } from './layout.ts'
import { sendMethodNotAllowed, sendNotFound } from './not-found.ts'
import { createPress, type Press } from './press.ts'
import { serveSecurityTxt } from './security-txt.ts'

export interface Site {
  /** Answers what no route answers, outside of the API. */
  notFound(request: FastifyRequest, reply: FastifyReply): FastifyReply
  close(): void
}

/** The public side. A request only sends what is ready: pages are prepared when something changes, not when asked for. */
export async function serveSite(
  app: FastifyInstance,
  { config, database, log }: { config: Config; database: Database; log: FastifyBaseLogger },
  accountApi: object,
): Promise<Site> {
  const saved = createSaved(database)
  const calendar: CalendarSource = createCalendarSource(saved, config.github, {
    changed: () => press.refresh(),
    failed: (error) => log.warn({ err: error }, 'could not get the contributions'),
  })
  const descriptions = { 'account-api': accountApi, 'content-api': describeContent(config.baseUrl) }
  const press: Press = await createPress(config, descriptions, calendar, saved, log)

  app.addHook('onRequest', async (request, reply) => {
    // Before anything is made of a body that a page has no use for.
    const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(request.method)
    if (!isRead && press.has(pathOf(request))) return sendMethodNotAllowed(reply)
  })
  serveContributions(app, calendar)
  serveSecurityTxt(app, config, press)
  app.get('*', async (request, reply) => {
    const path = pathOf(request)
    if (isOurs(path)) return reply.callNotFound()
    const { files, pages } = await press.current()
    const file = files.get(path)
    if (file) return sendRepresentation(request, reply, file)
    const page = pages.get(path)
    if (page) {
      addVary(reply, 'Accept')
      return sendRepresentation(request, reply, page[negotiate(request.headers.accept, ['html', 'markdown'])])
    }
    const inMarkdown = pages.get(pageOf(path))
    if (inMarkdown && path.endsWith('.md')) return sendRepresentation(request, reply, inMarkdown.markdown)
    const bare = path.replace(/\/+$/, '')
    if (bare !== path && pages.has(bare)) return reply.redirect(bare, 308)
    return sendNotFound(request, reply, press.frame())
  })

  return {
    notFound: (request, reply) => sendNotFound(request, reply, press.frame()),
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

/** What the API and the tools answer for, also when there is nothing. */
export function isOurs(path: string): boolean {
  return /^\/(api|dev|\.well-known)(\/|$)/.test(path)
}
