import type { IncomingMessage } from 'node:http'
// The global of that name is looked up anew each time it is used.
import { performance } from 'node:perf_hooks'
import type { UserRow } from '../database/tables.ts'
import { newRequestId } from './request-id.ts'

export type Query = Record<string, string | string[]>

/** Who a request comes from, once its token and session have been checked. */
export interface Caller {
  userId: string
  sessionId: string
  /** Whether a browser's cookie holds the session; else the two headers of the API named it. */
  isBrowser: boolean
  /** The account as it was when the session was checked, a moment ago. */
  user: UserRow
}

const PLAIN = /^\/[\w./~-]*$/

/** One request: what was sent, and what has been found out about it on its way. */
export class Request {
  readonly id = newRequestId()
  readonly arrivedAt = performance.now()
  readonly raw: IncomingMessage
  readonly method: string
  readonly headers: IncomingMessage['headers']
  /** As it was sent: path and query. */
  readonly url: string
  readonly rawPath: string
  /** However an address is spelled, here it has one spelling. */
  readonly path: string
  /** Whether there is only one way to spell it. */
  readonly isPlain: boolean
  body: unknown
  /** Set where only signed-in callers are let in. */
  caller: Caller | undefined

  constructor(raw: IncomingMessage) {
    const { method = 'GET', url = '/', headers } = raw
    this.raw = raw
    this.method = method
    this.headers = headers
    // In most there is nothing to look for any further.
    this.isPlain = PLAIN.test(url)
    // A proxy may send the whole address, of which only the path is ours to read.
    this.url = this.isPlain || url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*\/?/i, '/')
    this.rawPath = this.isPlain ? url : upTo('#', upTo('?', this.url))
    this.path = this.isPlain ? url : decoded(this.rawPath)
  }

  /** The question mark included; empty without one. */
  get search(): string {
    const start = this.url.indexOf('?')
    return start < 0 ? '' : this.url.slice(start)
  }

  /** What is said twice has both values. */
  get query(): Query {
    const query: Query = Object.create(null)
    for (const [name, value] of new URLSearchParams(this.search)) {
      const said = query[name]
      if (said === undefined) query[name] = value
      else if (typeof said === 'string') query[name] = [said, value]
      else said.push(value)
    }
    return query
  }
}

function upTo(mark: string, text: string): string {
  const at = text.indexOf(mark)
  return at < 0 ? text : text.slice(0, at)
}

function decoded(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}
