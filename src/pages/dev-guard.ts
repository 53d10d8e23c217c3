import { isFromThisMachine } from '../http/forwarded.ts'
import { notFound, Refusal } from '../http/refusal.ts'
import type { HttpServer } from '../http/server.ts'

/**
 * Everything under /dev shows codes or drafts, so it exists for requests of this machine only. Routes are found by the same
 * `path`, so no spelling of it gets past. Content cannot be published there.
 */
export function guardDevPages(app: HttpServer): void {
  app.addHook((request) => {
    const isDev = request.path === '/dev' || request.path.startsWith('/dev/')
    if (isDev && !isFromThisMachine(request)) throw new Refusal(notFound)
  })
}
