import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Connections } from './connections.ts'
import { failure } from './envelope.ts'
import { malformed, versionNotSupported } from './message-head.ts'
import { STATUS_CODES } from './node-http.ts'
import { declareRefusal, type RefusalKind } from './refusal.ts'
import { newRequestId } from './request-id.ts'

// Refusals of bytes for which Node emits no request. Node would close the connection, or send an empty response. These
// responses have the envelope, like every other error of the API.

const tooSlow = declareRefusal({
  status: 408,
  code: 'request_timeout',
  message: 'Request took too long',
  when: 'The request was not complete in time',
})
const headersTooLarge = declareRefusal({
  status: 431,
  code: 'headers_too_large',
  message: 'Request headers are too large',
  when: 'The head of the request is too large',
})
// RFC 9110, section 9.1: 501 for a method that the server does not implement.
const connectNotSupported = declareRefusal({
  status: 501,
  code: 'connect_not_supported',
  message: 'CONNECT is not supported',
  when: 'The method is `CONNECT`',
})

const KINDS_BY_CODE: Record<string, RefusalKind> = {
  HPE_HEADER_OVERFLOW: headersTooLarge,
  HPE_INVALID_VERSION: versionNotSupported,
  HPE_PAUSED_H2_UPGRADE: versionNotSupported,
  ERR_HTTP_REQUEST_TIMEOUT: tooSlow,
}

const CLOSE_TIMEOUT_MS = 1000

type ResponseHeaders = Record<string, string>

/** Sends an error response to bytes that are not an HTTP request, and to CONNECT, and closes the connection. */
export function refuseBadHttp(server: Server, connections: Connections, defaultHeaders: ResponseHeaders): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET') socket.destroy()
    else connections.refuse(socket, () => send(socket, KINDS_BY_CODE[error.code ?? ''] ?? malformed))
  })
  server.on('connect', (_request, socket: Socket) => {
    // Node removes its own 'error' listener before it emits 'connect'.
    socket.on('error', () => socket.destroy())
    connections.refuse(socket, () => send(socket, connectNotSupported))
  })

  function send(socket: Socket, kind: RefusalKind): void {
    const { headers, body } = refusal(kind, defaultHeaders)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    // Destroys the connection of a client that does not close its side.
    setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS).unref()
    socket.end([`HTTP/1.1 ${kind.status} ${STATUS_CODES[kind.status]}`, ...lines, '', body].join('\r\n'))
  }
}

function refusal(kind: RefusalKind, defaultHeaders: ResponseHeaders) {
  const requestId = newRequestId()
  const body = JSON.stringify(failure(requestId, kind))
  const headers = {
    ...defaultHeaders,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    Connection: 'close',
  }
  return { headers, body }
}
