import { pageOf } from '../content/page-paths.ts'
import { localPathOf, locationOf } from '../content/redirects.ts'
import { SHORT_CACHE } from '../http/cache-policy.ts'
import type { Reply } from '../http/reply.ts'
import type { Request } from '../http/request.ts'
import { markdownPath } from '../pages/layout.ts'
import type { Publisher } from './publisher.ts'

/** Where a path that redirects leads to. The markdown of a page that has moved is the markdown of the new address. */
export function findRedirect(publisher: Publisher, path: string): string | undefined {
  const target = publisher.redirect(path)
  if (target !== undefined || !path.endsWith('.md')) return target
  const page = localPathOf(publisher.redirect(pageOf(path)) ?? '')
  return page !== undefined && publisher.has(markdownPath(page)) ? markdownPath(page) : undefined
}

/**
 * 301 is known to all clients, also to old feed readers. 308 differs from it for other methods than GET and HEAD only.
 */
export function sendRedirect(request: Request, reply: Reply, target: string): Reply {
  // A cache stores a redirect for as long as a page, so that an author can correct it.
  return reply.header('cache-control', SHORT_CACHE).redirect(locationOf(target, request.search), 301)
}
