import type { IncomingMessage } from 'node:http'
import type { Trace } from '../lib/trace-context.ts'
import { newRequestId } from './request-id.ts'

export type Query = Record<string, string | string[]>

/** The authenticated user and session of a request. `sessions/authenticate.ts` adds the account. */
export interface Caller {
  userId: string
  sessionId: string
  /** Whether the session came from a browser's cookie. Otherwise it came from the two headers of the API. */
  isBrowser: boolean
}

// A path that needs no decoding, without a query.
const PLAIN = /^\/[\w./~-]*$/

/** A request as the client has sent it. The steps of the server set `trace`, `route`, `body` and `caller`. */
export class Request {
  readonly id = newRequestId()
  readonly arrivedAt = performance.now()
  readonly raw: IncomingMessage
  readonly method: string
  readonly headers: IncomingMessage['headers']
  /** The path and query as they were sent. */
  readonly url: string
  readonly rawPath: string
  /**
   * The path for routing, percent-decoded except for reserved characters such as %2F and %23, which stay as they were
   * sent.
   */
  readonly path: string
  /** Whether the URL is a path that needs no decoding, without a query. */
  readonly isPlain: boolean
  /** The trace that a trusted proxy has named. */
  trace: Trace | undefined
  /** The path of the route as it was registered, such as `/uploads/*`. */
  route: string | undefined
  body: unknown
  /** Set by the guard of a route that needs authentication. */
  caller: Caller | undefined
  /** The limits that have counted the request, for the headers RateLimit-Policy and RateLimit of its response. */
  rateLimitPolicies = ''
  rateLimitStates = ''

  constructor(raw: IncomingMessage) {
    const { method = 'GET', url = '/', headers } = raw
    this.raw = raw
    this.method = method
    this.headers = headers
    this.isPlain = PLAIN.test(url)
    // Absolute form (RFC 9112, section 3.2.2): scheme and authority are dropped.
    this.url = this.isPlain || url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*\/?/i, '/')
    this.rawPath = this.isPlain ? url : upTo('#', upTo('?', this.url))
    this.path = this.isPlain ? url : decoded(this.rawPath)
  }

  /** The fields of every log line about this request. */
  get logFields(): { requestId: string; traceId?: string; spanId?: string } {
    if (!this.trace) return { requestId: this.id }
    const { traceId, spanId } = this.trace
    return { requestId: this.id, traceId, spanId }
  }

  /** The query with its question mark. Empty without a query. */
  get search(): string {
    const start = this.url.indexOf('?')
    return start < 0 ? '' : this.url.slice(start)
  }

  /** The parameters of the query. A parameter that occurs more than once has a list of values. */
  get query(): Query {
    const query: Query = Object.create(null)
    for (const [name, value] of new URLSearchParams(this.search)) {
      const previous = query[name]
      if (previous === undefined) query[name] = value
      else if (typeof previous === 'string') query[name] = [previous, value]
      else previous.push(value)
    }
    return query
  }
}

function upTo(mark: string, text: string): string {
  const at = text.indexOf(mark)
  return at < 0 ? text : text.slice(0, at)
}

/** An invalid percent-encoding is left as it is. */
function decoded(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

/** Whether a path belongs to the API. Its errors are JSON, and those of other paths are pages. */
export function isApiPath(path: string): boolean {
  return path.startsWith('/api/') || path === '/api'
}
