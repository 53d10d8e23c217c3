import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Connections } from './connections.ts'
import { failure } from './envelope.ts'
import { malformed, versionNotSupported } from './message-head.ts'
import type { RefusalKind } from './refusal.ts'
import { newRequestId } from './request-id.ts'

// What is refused before there is a request to route. Node answers these with nothing or with words of its own; ours
// get the envelope like every other answer.

const tooSlow: RefusalKind = { status: 408, message: 'Request took too long' }
const headersTooLarge: RefusalKind = { status: 431, message: 'Request headers are too large' }
// RFC 9110, section 9.1: 501 for a method that the server does not implement.
const noTunnels: RefusalKind = { status: 501, message: 'CONNECT is not supported' }

const KINDS: Record<string, RefusalKind> = {
  HPE_HEADER_OVERFLOW: headersTooLarge,
  HPE_INVALID_VERSION: versionNotSupported,
  HPE_PAUSED_H2_UPGRADE: versionNotSupported,
  ERR_HTTP_REQUEST_TIMEOUT: tooSlow,
}

// An import of node:http loads all that it can do, a browser's fetch included.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

type Headers = Record<string, string>

/** Answers bytes that are no HTTP request, and CONNECT, and closes their connection. */
export function refuseBadHttp(server: Server, connections: Connections, protection: Headers): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET') socket.destroy()
    else connections.refuse(socket, () => send(socket, KINDS[error.code ?? ''] ?? malformed))
  })
  server.on('connect', (_request, socket: Socket) => {
    // Node has taken its own listener away.
    socket.on('error', () => socket.destroy())
    connections.refuse(socket, () => send(socket, noTunnels))
  })

  function send(socket: Socket, kind: RefusalKind): void {
    const { headers, body } = refusal(kind, protection)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    // A client that never closes its side must not keep the connection for ever.
    setTimeout(() => socket.destroy(), 1000).unref()
    socket.end([`HTTP/1.1 ${kind.status} ${STATUS_CODES[kind.status]}`, ...lines, '', body].join('\r\n'))
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
