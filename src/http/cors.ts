import type { HttpServer } from './server.ts'

const FOR_ALL = { 'access-control-expose-headers': 'X-Request-Id, Retry-After, RateLimit, RateLimit-Policy' }
const FOR_PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type, X-Session-Id',
  'access-control-max-age': '600',
}

/** For every answer, also to whoever names no origin: a cache must not give it to somebody who does. */
export const VARIES_BY_ORIGIN = { vary: 'Origin' }

/**
 * Lets pages of the listed origins call the API from a browser. All others get no such header, and `null` never does.
 */
export function allowCorsOrigins(app: HttpServer, origins: string[]): void {
  const allowed = new Set(origins)
  app.addHook(({ method, headers }, reply) => {
    const { origin } = headers
    const isPreflight = method === 'OPTIONS' && origin && headers['access-control-request-method']
    if (origin && allowed.has(origin)) {
      reply.mergeHeaders({ 'access-control-allow-origin': origin, ...(isPreflight ? FOR_PREFLIGHT : FOR_ALL) })
    }
    if (isPreflight) reply.code(204).send()
  })
}
