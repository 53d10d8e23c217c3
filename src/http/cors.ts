import type { HttpServer } from './server.ts'

const RESPONSE_HEADERS = { 'access-control-expose-headers': 'X-Request-Id, Retry-After, RateLimit, RateLimit-Policy' }
const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-allow-headers':
    'Authorization, Content-Type, X-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name',
  'access-control-max-age': '600',
}

/**
 * A default header of every response, also to a request without an Origin header: a cache must not reuse that response
 * for a request that has one (Fetch standard, "CORS protocol and HTTP caches").
 */
export const VARIES_BY_ORIGIN = { vary: 'Origin' }

/**
 * Lets pages of the listed origins call the API from a browser. Responses to other origins, and to `null`, have no CORS
 * headers. This hook responds to every preflight request with 204, also to one of another origin.
 */
export function allowCorsOrigins(server: HttpServer, origins: string[]): void {
  const allowed = new Set(origins)
  server.addHook(({ method, headers }, reply) => {
    const { origin } = headers
    const isPreflight = method === 'OPTIONS' && origin && headers['access-control-request-method']
    if (origin && allowed.has(origin)) {
      reply.mergeHeaders({
        'access-control-allow-origin': origin,
        ...(isPreflight ? PREFLIGHT_HEADERS : RESPONSE_HEADERS),
      })
    }
    if (isPreflight) reply.code(204).send()
  })
}
