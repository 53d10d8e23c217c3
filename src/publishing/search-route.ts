import { plainText } from '../content/plain-text.ts'
import { MAX_QUERY_CHARACTERS } from '../content/search/find-pages.ts'
import { negotiate } from '../http/negotiate.ts'
import { invalid, notFound, Refusal } from '../http/refusal.ts'
import type { Reply } from '../http/reply.ts'
import type { Request } from '../http/request.ts'
import type { Guard, Routes } from '../http/routes.ts'
import { sendCompressed } from '../http/send-compressed.ts'
import { layout, markdownPath, SEARCH_PATH } from '../pages/layout.ts'
import { markdownHeaders, pageMarkdown } from '../pages/page-markdown.ts'
import { SEARCH_NOT_READY, sendProblem } from '../pages/problem.ts'
import { searchJson, searchMarkdown, searchOf, searchPage } from '../pages/search-page.ts'
import { type FindVisitor, readerOf } from '../pages/visitor.ts'
import { linkHeaders } from './link-headers.ts'
import type { Publisher } from './publisher.ts'

// A browser shows the results again without a request when its user goes back. No other cache stores them, because the
// number of possible queries is unlimited.
const HEADERS = { 'cache-control': 'private, max-age=60', vary: 'Accept, Cookie', 'x-robots-tag': 'noindex' }

interface SearchParts {
  /** Resolves to the publisher. In development, after the running rebuild. */
  upToDate(): Promise<Publisher>
  visitorOf: FindVisitor
  /** Counts the request in a rate limit, because each search is computed. */
  rateLimitGuard: Guard
}

/** Serves the search as a page, as markdown and as JSON. */
export function serveSearch(app: Routes, { upToDate, visitorOf, rateLimitGuard }: SearchParts): void {
  for (const path of [SEARCH_PATH, markdownPath(SEARCH_PATH), `${SEARCH_PATH}.json`])
    app.route({ method: 'GET', path, guard: rateLimitGuard, handle: sendResults })

  async function sendResults(request: Request, reply: Reply) {
    const publisher = await upToDate()
    if (!publisher.frame().site.search) throw new Refusal(notFound)
    const query = queryOf(request)
    const found = await publisher.search(query)
    const frame = publisher.frame()
    if (!found) return sendProblem(request, reply, frame, SEARCH_NOT_READY, await visitorOf(request))
    reply.mergeHeaders(HEADERS)
    const links = linkHeaders(frame.baseUrl, SEARCH_PATH, searchOf(query))
    switch (variantOf(request)) {
      case 'json':
        return reply.send(searchJson(query, found, frame.baseUrl))
      case 'markdown': {
        const text = pageMarkdown(frame, searchMarkdown(query, found, frame.baseUrl))
        reply.type('text/markdown; charset=utf-8').mergeHeaders({ link: links.markdown, ...markdownHeaders(text) })
        return sendCompressed(request, reply, text)
      }
      default: {
        const visitor = await visitorOf(request)
        const text = layout(frame, searchPage(query, found), visitor && readerOf(visitor))
        reply.type('text/html; charset=utf-8').header('Link', links.html)
        if (!visitor) return sendCompressed(request, reply, text)
        // A page with the words of a request beside facts about a user is not compressed (BREACH).
        return reply.headers({ 'Cache-Control': 'private, no-store', 'Set-Cookie': visitor.cookies }).send(text)
      }
    }
  }
}

function queryOf({ query: { q = '' } }: Request): string {
  const sent = Array.isArray(q) ? q.join(' ') : q
  // `maxLength` of the description counts code points (JSON Schema Validation, section 6.3.1).
  if ([...sent].length <= MAX_QUERY_CHARACTERS) return plainText(sent).trim()
  throw invalid('q', 'too_long', `A search may have ${MAX_QUERY_CHARACTERS} characters at most`)
}

function variantOf({ path, headers: { accept } }: Request) {
  if (path === SEARCH_PATH) return negotiate(accept, ['html', 'markdown', 'json'])
  return path.endsWith('.json') ? 'json' : 'markdown'
}
