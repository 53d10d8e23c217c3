import type { IncomingMessage } from 'node:http'
import { BodyLimiter } from './body.ts'

// A client may send this much of a refused body before it has read the response.
const MAX_DISCARDED_BYTES = 32 * 1024 * 1024

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/**
 * Reads and discards the rest of a body that the handler has not read, so that the client can read the response before
 * the connection is closed (RFC 9112, section 9.6). Beyond the limit, the connection is destroyed.
 */
export function discardUnreadBody(raw: IncomingMessage): void {
  if (raw.complete || raw.destroyed) return
  const { socket } = raw
  const { destroySoon } = socket
  const discarded = new BodyLimiter(MAX_DISCARDED_BYTES)
  raw.on('data', (chunk: Buffer) => {
    if (!discarded.accept(chunk)) socket.destroy()
  })
  // Node calls this method after a response with `Connection: close`. Its own one closes the socket at once. The kernel
  // then resets the connection because of the unread bytes, and a proxy that is still sending responds with 502.
  socket.destroySoon = () => {
    raw.once('close', () => socket.destroy())
    socket.end()
  }
  // A later response on a connection that stays open may close it.
  raw.once('close', () => {
    socket.destroySoon = destroySoon
  })
  raw.resume()
}
