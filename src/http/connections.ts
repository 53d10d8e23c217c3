import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { BodyMeter } from './body.ts'

export interface ConnectionLimits {
  /** From the connection, or from the first byte of a later request, to the end of its headers. */
  headersMs: number
  /** The same, to the end of its body. */
  requestMs: number
  /** From one response to the next request. */
  keepAliveMs: number
  /** For a client to take a response, beside the time that its bytes take at the slowest accepted rate. */
  writeMs: number
  slowestBytesPerSecond: number
  /** How often the limits are checked. */
  checkMs: number
  /** Requests that a client may send ahead while an earlier one is being answered. */
  pipelined: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 65_000,
  writeMs: 30_000,
  slowestBytesPerSecond: 16_000,
  checkMs: 1000,
  pipelined: 100,
}

// A client that was refused may have sent this much before it has read the response.
const MAX_DROPPED_BYTES = 32 * 1024 * 1024

type Answer = (raw: IncomingMessage, response: ServerResponse) => void

/** A request that waits for its turn, or bytes that are no request and are refused in their turn. */
interface Turn {
  raw?: IncomingMessage
  start(): void
}

type State = 'idle' | 'answering' | 'writing'

interface Connection {
  /** Of the latest request that has had its turn. */
  response: ServerResponse | undefined
  waiting: Turn[]
  /** What the latest check has found, since when, and how many bytes were then to be written. */
  seen: { response: ServerResponse | undefined; state: State; since: number; bytes: number }
}

/**
 * Limits every state of a connection. Node limits the time for headers and for a whole request. It has no limit for a
 * client that takes no response, and counts any byte between two requests, such as an empty line, as activity.
 *
 * The requests of a connection are answered one after the other, and none after a response that closes the connection
 * (RFC 9112, section 9.6). Node alone would hand over all that have arrived.
 */
export class Connections {
  readonly #limits: ConnectionLimits
  readonly #answer: Answer
  readonly #connections = new Map<Socket, Connection>()

  constructor(server: Server, limits: ConnectionLimits, answer: Answer) {
    this.#limits = limits
    this.#answer = answer
    // A client that closes its side after its request still gets the response. The types of Node lack the property.
    Object.assign(server, { httpAllowHalfOpen: true })
    server.on('connection', (socket) => this.#add(socket))
    const take = (raw: IncomingMessage, response: ServerResponse) => this.#take(raw, response)
    // Without these two listeners, Node answers an Expect header before the request is looked at.
    server.on('request', take).on('checkContinue', take).on('checkExpectation', take)
    const timer = setInterval(() => this.#check(), limits.checkMs).unref()
    server.once('close', () => clearInterval(timer))
  }

  #add(socket: Socket): void {
    const seen = { response: undefined, state: 'idle' as const, since: performance.now(), bytes: 0 }
    this.#connections.set(socket, { response: undefined, waiting: [], seen })
    socket.once('close', () => this.#connections.delete(socket))
  }

  #take(raw: IncomingMessage, response: ServerResponse): void {
    const { socket } = raw
    const connection = this.#connections.get(socket)
    if (!connection || socket.destroyed) return
    if (!isFree(connection)) {
      this.#wait(socket, connection, { raw, start: () => this.#start(connection, raw, response) })
    } else if (!socket.writableEnded) {
      this.#start(connection, raw, response)
    }
  }

  #start(connection: Connection, raw: IncomingMessage, response: ServerResponse): void {
    connection.response = response
    // Before Node's own listener, which would read the rest without an event.
    if (hasBody(raw)) response.prependOnceListener('finish', () => boundUnreadBody(raw))
    // Node hands over no request that was sent behind one with an Upgrade header in the same packet.
    if (raw.headers.upgrade !== undefined) response.shouldKeepAlive = false
    this.#answer(raw, response)
  }

  /** Closes all connections, also those that Node has taken off its own list, as it does for CONNECT. */
  destroyAll(): void {
    for (const socket of this.#connections.keys()) socket.destroy()
  }

  #wait(socket: Socket, { response, waiting }: Connection, turn: Turn): void {
    // Node parses what it has read before it stops reading: only closing the connection bounds what a client sends
    // ahead.
    if (waiting.length === this.#limits.pipelined) {
      socket.destroy()
      return
    }
    waiting.push(turn)
    if (waiting.length === 1) response?.once('finish', () => this.#next(socket))
  }

  /** Called when a response is written, after Node has ended the connection if the response says so. */
  #next(socket: Socket): void {
    const connection = this.#connections.get(socket)
    const turn = connection?.waiting.shift()
    if (!connection || !turn || socket.writableEnded) return
    turn.start()
    if (connection.waiting.length > 0) connection.response?.once('finish', () => this.#next(socket))
  }

  /** Ends a connection with an answer to bytes that are no request, after the requests before them are answered. */
  refuse(socket: Socket, answer: () => void): void {
    // An answer is on its way already. What still comes is read and dropped, so that the answer is not lost to a reset
    // (RFC 9112, section 9.6).
    if (!socket.writable) return
    const connection = this.#connections.get(socket)
    if (!connection?.response) {
      answer()
      return
    }
    const { response, waiting } = connection
    // The bytes may be the body of the latest request, which is then not handled.
    if (waiting.at(-1)?.raw?.complete === false) waiting.pop()
    else if (waiting.length === 0 && !response.req.complete) {
      // Its response may have begun already.
      if (response.headersSent) socket.destroySoon()
      else answer()
      return
    }
    if (isFree(connection)) answer()
    else this.#wait(socket, connection, { start: answer })
  }

  #check(): void {
    const now = performance.now()
    for (const [socket, connection] of this.#connections) {
      const { response, seen } = connection
      const state = stateOf(connection)
      if (seen.response !== response || seen.state !== state) {
        connection.seen = { response, state, since: now, bytes: socket.writableLength }
      } else if (response && now - seen.since > this.#longest(seen)) {
        socket.destroy()
      }
    }
  }

  /** How long a connection may be in a state. While a request is being answered, the handler has limits of its own. */
  #longest({ state, bytes }: Connection['seen']): number {
    const { keepAliveMs, headersMs, writeMs, slowestBytesPerSecond } = this.#limits
    if (state === 'answering') return Number.POSITIVE_INFINITY
    // A request that begins at the last moment has its time too.
    return state === 'idle' ? keepAliveMs + headersMs : writeMs + (bytes / slowestBytesPerSecond) * 1000
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/**
 * The rest of a body that nobody has read is read and dropped, so that the client sees the response before the
 * connection can be closed (RFC 9112, section 9.6). Past a bound, the connection is closed all the same.
 */
function boundUnreadBody(raw: IncomingMessage): void {
  if (raw.complete || raw.destroyed) return
  const dropped = new BodyMeter(MAX_DROPPED_BYTES)
  raw.on('data', (chunk: Buffer) => {
    if (!dropped.takes(chunk)) raw.socket.destroy()
  })
  raw.read(0)
}

function isFree({ response, waiting }: Connection): boolean {
  return waiting.length === 0 && (!response || isWritten(response))
}

/** Node takes the socket from a response when all of it is written. */
function isWritten(response: ServerResponse): boolean {
  return response.socket === null
}

function stateOf({ response }: Connection): State {
  if (!response || isWritten(response)) return 'idle'
  return response.writableEnded ? 'writing' : 'answering'
}
