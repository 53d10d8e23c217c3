import { plainText } from '../content/plain-text.ts'
import { findPages, MAX_QUERY_CHARACTERS } from '../content/search/find-pages.ts'
import { negotiate } from '../http/negotiate.ts'
import { invalid, notFound, Refusal } from '../http/refusal.ts'
import type { Reply } from '../http/reply.ts'
import type { Request } from '../http/request.ts'
import type { Guard, Routes } from '../http/routes.ts'
import { layout, markdownPath, SEARCH_PATH } from '../pages/layout.ts'
import { searchJson, searchMarkdown, searchPage } from '../pages/search-page.ts'
import { type FindVisitor, readerOf } from '../pages/visitor.ts'
import type { Publisher } from './publisher.ts'

// A browser shows the results again without a request when its user goes back. No other cache stores them, because the
// number of possible queries is unlimited.
const HEADERS = { 'cache-control': 'private, max-age=60', vary: 'Accept, Cookie', 'x-robots-tag': 'noindex' }

interface SearchParts {
  /** The publisher when it has nothing to rebuild. */
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
    const index = await publisher.searchIndex()
    if (!index) throw new Refusal(notFound)
    const query = queryOf(request)
    const found = findPages(index, query)
    const frame = publisher.frame()
    reply.mergeHeaders(HEADERS)
    switch (variantOf(request)) {
      case 'json':
        return reply.send(searchJson(query, found, frame.baseUrl))
      case 'markdown':
        return reply.type('text/markdown; charset=utf-8').send(`${searchMarkdown(query, found, frame.baseUrl)}\n`)
      default: {
        const visitor = await visitorOf(request)
        if (visitor) reply.headers({ 'Cache-Control': 'private, no-store', 'Set-Cookie': visitor.cookies })
        return reply
          .type('text/html; charset=utf-8')
          .send(layout(frame, searchPage(query, found), visitor && readerOf(visitor)))
      }
    }
  }
}

function queryOf({ query: { q = '' } }: Request): string {
  const query = plainText(Array.isArray(q) ? q.join(' ') : q).trim()
  if (query.length <= MAX_QUERY_CHARACTERS) return query
  throw invalid('q', 'too_long', `A search may have ${MAX_QUERY_CHARACTERS} characters at most`)
}

function variantOf({ path, headers: { accept } }: Request) {
  if (path === SEARCH_PATH) return negotiate(accept, ['html', 'markdown', 'json'])
  return path.endsWith('.json') ? 'json' : 'markdown'
}
