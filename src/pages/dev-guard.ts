import { isFromThisMachine } from '../http/forwarded.ts'
import { notFound, Refusal } from '../http/refusal.ts'
import type { HttpServer } from '../http/server.ts'

/**
 * Sends 404 for paths under /dev unless the client is on this machine, since those pages show codes and drafts. The
 * router matches the same normalised `path`, so another spelling of a path does not bypass this hook. No content is
 * published under /dev.
 */
export function guardDevPages(server: HttpServer): void {
  server.addHook((request) => {
    const isDev = request.path === '/dev' || request.path.startsWith('/dev/')
    if (isDev && !isFromThisMachine(request)) throw new Refusal(notFound)
  })
}
