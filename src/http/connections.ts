import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpResponse } from './http-response.ts'
import { discardUnreadBody, hasBody } from './unread-body.ts'

export interface ConnectionLimits {
  /** The number of open connections. Each may take up to 32 KiB for the head of a request. */
  maxConnections: number
  /** From the start of the connection, or from the first byte of a later request, to the end of the headers. */
  headersMs: number
  /** From the same start to the end of the body. */
  requestMs: number
  /** From the end of a response to the first byte of the next request. */
  keepAliveMs: number
  /** For a client to read a response, in addition to the time that its bytes take at `minBytesPerSecond`. */
  writeMs: number
  minBytesPerSecond: number
  /** The interval between two checks of the limits. */
  checkMs: number
  /** For all responses together that are not read (`unread-responses.ts`). */
  maxUnreadBytes: number
  /** The number of pipelined requests (RFC 9112, section 9.3.2) that may wait for an earlier response. */
  maxPipelined: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  maxConnections: 5000,
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 65_000,
  writeMs: 30_000,
  minBytesPerSecond: 16_000,
  checkMs: 1000,
  maxUnreadBytes: 128 * 1024 * 1024,
  maxPipelined: 100,
}

type HandleRequest = (raw: IncomingMessage, response: HttpResponse) => void

/** A pipelined request, or the refusal of bytes that are not HTTP. Starts when the responses before it are written. */
interface QueueEntry {
  raw?: IncomingMessage
  start(): void
}

/** `handling` lasts until the handler begins the response; `writing`, until all of it is written to the socket. */
type State = 'idle' | 'handling' | 'writing'

interface Connection {
  /** The response to the latest request that was started. */
  response: HttpResponse | undefined
  queue: QueueEntry[]
  /** The state at the latest check, since when it has lasted, and the bytes that were to be written when it began. */
  lastCheck: { response: HttpResponse | undefined; state: State; since: number; bytes: number }
}

/**
 * Destroys a connection that stays idle for too long, or whose client reads a response too slowly. Node limits the time
 * for the headers and for a whole request. Node has no limit for a client that does not read its response. Between two
 * requests, Node counts any byte as activity, also an empty line.
 *
 * Starts the pipelined requests of a connection one after the other, and none after a response that closes the
 * connection (RFC 9112, section 9.6). Node alone would emit all requests that have arrived.
 */
export class Connections {
  readonly #limits: ConnectionLimits
  readonly #handle: HandleRequest
  readonly #connections = new Map<Socket, Connection>()
  readonly #timer: NodeJS.Timeout
  #onAllClosed = () => {}

  constructor(
    server: Server<typeof IncomingMessage, typeof HttpResponse>,
    limits: ConnectionLimits,
    handle: HandleRequest,
  ) {
    this.#limits = limits
    this.#handle = handle
    // A client that half-closes its connection still gets the response. Node's types lack this property.
    Object.assign(server, { httpAllowHalfOpen: true })
    server.on('connection', (socket) => this.#add(socket))
    const receive = (raw: IncomingMessage, response: HttpResponse) => this.#receive(raw, response)
    // Without the last two listeners, Node would respond to an Expect header before the request is handled.
    server.on('request', receive).on('checkContinue', receive).on('checkExpectation', receive)
    this.#timer = setInterval(() => this.#check(), limits.checkMs).unref()
  }

  stopChecking(): void {
    clearInterval(this.#timer)
  }

  /** Resolves when no connection is open. */
  allClosed(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onAllClosed = resolve
    if (this.#connections.size === 0) resolve()
    return promise
  }

  #add(socket: Socket): void {
    if (this.#connections.size === this.#limits.maxConnections) {
      socket.destroy()
      return
    }
    const lastCheck = { response: undefined, state: 'idle' as const, since: performance.now(), bytes: 0 }
    this.#connections.set(socket, { response: undefined, queue: [], lastCheck })
    socket.once('close', () => {
      this.#connections.delete(socket)
      if (this.#connections.size === 0) this.#onAllClosed()
    })
  }

  /** Starts a request, or adds it to the queue while an earlier response is not written. */
  #receive(raw: IncomingMessage, response: HttpResponse): void {
    const { socket } = raw
    const connection = this.#connections.get(socket)
    if (!connection || socket.destroyed) return
    if (!canStart(connection)) {
      this.#enqueue(socket, connection, { raw, start: () => this.#start(connection, raw, response) })
    } else if (!socket.writableEnded) {
      this.#start(connection, raw, response)
    }
  }

  #start(connection: Connection, raw: IncomingMessage, response: HttpResponse): void {
    connection.response = response
    // Runs before Node's own 'finish' listener, which would discard the rest of the body without events.
    if (hasBody(raw)) response.prependOnceListener('finish', () => discardUnreadBody(raw))
    // Node does not emit a request that follows one with an Upgrade header in the same packet.
    if (raw.headers.upgrade !== undefined) response.shouldKeepAlive = false
    this.#handle(raw, response)
  }

  /** Destroys all connections, also those that `server.closeAllConnections` omits, such as one after CONNECT. */
  destroyAll(): void {
    for (const socket of this.#connections.keys()) socket.destroy()
  }

  #enqueue(socket: Socket, { response, queue }: Connection, entry: QueueEntry): void {
    // Pausing the socket would not bound the queue: Node still parses all bytes that it has read.
    if (queue.length === this.#limits.maxPipelined) {
      socket.destroy()
      return
    }
    queue.push(entry)
    if (queue.length === 1) response?.once('finish', () => this.#startNext(socket))
  }

  /** Runs when a response is written. If it has `Connection: close`, Node has then already ended the connection. */
  #startNext(socket: Socket): void {
    const connection = this.#connections.get(socket)
    const entry = connection?.queue.shift()
    if (!connection || !entry || socket.writableEnded) return
    entry.start()
    if (connection.queue.length > 0) connection.response?.once('finish', () => this.#startNext(socket))
  }

  /**
   * Refuses bytes that are not an HTTP request, after the responses to the requests before them. `send` writes the
   * response and ends the connection.
   */
  refuse(socket: Socket, send: () => void): void {
    const connection = this.#connections.get(socket)
    // The rest of a body that `discardUnreadBody` reads is malformed, or took longer than `requestMs`.
    if (connection && isDiscardingBody(connection)) {
      socket.destroy()
      return
    }
    // The connection was ended by an earlier response. The bytes are discarded: a reset could keep the client from
    // reading that response (RFC 9112, section 9.6).
    if (!socket.writable) return
    if (!connection?.response) {
      send()
      return
    }
    const { response, queue } = connection
    // The bytes may belong to the body of the latest request. That request is then refused instead of handled.
    if (queue.at(-1)?.raw?.complete === false) queue.pop()
    else if (queue.length === 0 && !response.req.complete) {
      // The handler of that request may have begun its response.
      if (response.headersSent) socket.destroySoon()
      else send()
      return
    }
    if (canStart(connection)) send()
    else this.#enqueue(socket, connection, { start: send })
  }

  /** Destroys each connection that has been in its state for longer than the limit. */
  #check(): void {
    const now = performance.now()
    for (const [socket, connection] of this.#connections) {
      const { response, lastCheck } = connection
      const state = stateOf(connection)
      if (lastCheck.response !== response || lastCheck.state !== state) {
        const bytes = Math.max(socket.writableLength, response?.streamBytes ?? 0)
        connection.lastCheck = { response, state, since: now, bytes }
      } else if (response && now - lastCheck.since > this.#maxMsIn(lastCheck)) {
        socket.destroy()
      }
    }
  }

  /** The time that a connection may stay in a state. `handling` has no limit here: handlers have their own timeouts. */
  #maxMsIn({ state, bytes }: Connection['lastCheck']): number {
    const { keepAliveMs, headersMs, writeMs, minBytesPerSecond } = this.#limits
    if (state === 'handling') return Number.POSITIVE_INFINITY
    // A request may begin at the end of the keep-alive time, and then has its time for the headers.
    return state === 'idle' ? keepAliveMs + headersMs : writeMs + (bytes / minBytesPerSecond) * 1000
  }
}

/** Whether the latest response is written, but the body of its request has not arrived completely. */
function isDiscardingBody({ response, queue }: Connection): boolean {
  return response !== undefined && queue.length === 0 && isWritten(response) && !response.req.complete
}

/** Whether a request can start now: none waits before it, and the latest response is written. */
function canStart({ response, queue }: Connection): boolean {
  return queue.length === 0 && (!response || isWritten(response))
}

/** Node sets `response.socket` to null when the whole response is written to the socket. */
function isWritten(response: HttpResponse): boolean {
  return response.socket === null
}

function stateOf({ response }: Connection): State {
  if (!response || isWritten(response)) return 'idle'
  return response.headersSent ? 'writing' : 'handling'
}
