import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { failure } from './envelope.ts'
import type { RefusalKind } from './refusal.ts'
import { newRequestId } from './request-id.ts'

// What is refused before there is a request to route. Node answers these with nothing or with words of its own; ours
// get the envelope like every other answer.

export const malformed: RefusalKind = { status: 400, message: 'Malformed HTTP request' }
const tooSlow: RefusalKind = { status: 408, message: 'Request took too long' }
const expectationFailed: RefusalKind = { status: 417, message: 'Expectation failed' }
const headersTooLarge: RefusalKind = { status: 431, message: 'Request headers are too large' }

const KINDS: Record<string, RefusalKind> = {
  HPE_HEADER_OVERFLOW: headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: tooSlow,
}

// An import of node:http loads all that it can do, a browser's fetch included.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

type Headers = Record<string, string>

/** For bytes that are no HTTP request. */
export function answerBadHttp(protection: Headers) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    const kind = KINDS[error.code ?? ''] ?? malformed
    const { headers, body } = refusal(kind, protection)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    // A client that never closes its side must not keep the connection for ever.
    setTimeout(() => socket.destroy(), 1000).unref()
    socket.end([`HTTP/1.1 ${kind.status} ${STATUS_CODES[kind.status]}`, ...lines, '', body].join('\r\n'))
  }
}

/** For an Expect header that we know nothing of. */
export function answerExpectation(protection: Headers) {
  return (_request: IncomingMessage, response: ServerResponse): void => {
    const { headers, body } = refusal(expectationFailed, protection)
    response.writeHead(expectationFailed.status, headers).end(body)
  }
}

function refusal({ message }: RefusalKind, protection: Headers) {
  const requestId = newRequestId()
  const body = JSON.stringify(failure(requestId, message))
  const headers = {
    ...protection,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    Connection: 'close',
  }
  return { headers, body }
}
