import type { IncomingMessage, Server } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { counted } from '../lib/counted.ts'
import { chain, type MaybePromise } from '../lib/maybe-promise.ts'
import type { Observer } from '../lib/observer.ts'
import { inTrace, type Trace } from '../lib/trace-context.ts'
import type { Log } from '../logging/log.ts'
import { refuseBadHttp } from './bad-http.ts'
import { readBody } from './body.ts'
import { rateLimitAddress } from './client-address.ts'
import { ClientGone } from './client-gone.ts'
import { CONNECTION_LIMITS, type ConnectionLimits, Connections } from './connections.ts'
import { failure } from './envelope.ts'
import { HttpResponse } from './http-response.ts'
import type { Listener } from './listener.ts'
import { checkHead } from './message-head.ts'
import { createServer } from './node-http.ts'
import { internalError } from './refusal.ts'
import { Reply, type ResponseDefaults } from './reply.ts'
import { Request } from './request.ts'
import { type Hook, type Route, Routes } from './routes.ts'
import { UnreadResponses } from './unread-responses.ts'

interface ServerOptions {
  /** Headers of every response. Names are in lower case. */
  defaultHeaders: Record<string, string>
  /** Called for a request without a route, before the server refuses it with 404 or 405. May throw another refusal. */
  onNotFound(request: Request, reply: Reply): Promise<void>
  /** Sends the response for an error that was thrown by a hook, a guard, a body parser or a handler. */
  onError(error: unknown, request: Request, reply: Reply): unknown
  log: Log
  /** The IP address of the client, for the log and for the limits of one address. */
  ipOf(request: Request): string
  /** Reads the trace that a request belongs to. */
  traceOf?: ((request: Request) => Trace | undefined) | undefined
  observer?: Pick<Observer, 'request'> | undefined
  connectionLimits?: ConnectionLimits
}

// Request line and headers together. The server responds with 431 to a larger head (`bad-http.ts`).
const MAX_HEAD_BYTES = 32 * 1024
const MAX_LOGGED_PATH_CHARACTERS = 500

function createNodeServer({ headersMs, requestMs, keepAliveMs, checkMs }: ConnectionLimits) {
  return createServer({
    ServerResponse: HttpResponse,
    // `checkHead` refuses a missing Host header with the envelope. Node would send an empty 400 response.
    requireHostHeader: false,
    // Node creates the stream of a request without a body in its ended state, and emits no events for it.
    optimizeEmptyRequests: true,
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: checkMs,
  })
}

/**
 * The HTTP server. Every request takes the same path, and no other code runs between `node:http` and a route:
 *
 * 1. `Connections` passes the requests of a connection to `#handle`, one at a time and in their order.
 * 2. `#process` checks the head, runs the hooks and finds the route.
 * 3. `#runRoute` follows when the guard of the route has admitted the request: it reads the body and calls the handler.
 * 4. `#fail` turns an error of any of these steps into a response.
 * 5. `#finish` logs and measures the request, unless the client has disconnected while its body was read or while the
 *    request was in the queue of password hashes (`ClientGone`).
 *
 * A hook or a guard that sends the reply ends the request: of the later steps, only `#finish` runs.
 */
export class HttpServer extends Routes {
  readonly server: Server
  readonly #options: ServerOptions
  readonly #defaults: ResponseDefaults
  readonly #addressOf: (request: Request) => string
  readonly #connections: Connections
  readonly #hooks: Hook[] = []
  readonly #closeListeners: (() => void)[] = []
  #listener: Listener | undefined

  constructor(options: ServerOptions) {
    super()
    this.#options = options
    const limits = options.connectionLimits ?? CONNECTION_LIMITS
    this.#addressOf = (request) => rateLimitAddress(options.ipOf(request))
    const unread = new UnreadResponses({ maxBytes: limits.maxUnreadBytes, warn: (count) => this.#warnOfUnread(count) })
    this.#defaults = {
      headers: options.defaultHeaders,
      isClosing: false,
      countUnread: (request, response, content, bytes) =>
        unread.add(response, this.#addressOf(request), content, bytes),
    }
    this.server = createNodeServer(limits)
    this.#connections = new Connections(this.server, limits, (raw, response) => this.#handle(raw, response))
    refuseBadHttp(this.server, this.#connections, options.defaultHeaders)
  }

  /** Adds a hook, which runs for every request, with or without a route. Hooks run in the order of their addition. */
  addHook(hook: Hook): void {
    this.#hooks.push(hook)
  }

  /** Resolves to the URL of the listener. */
  async listen(listener: Listener): Promise<string> {
    this.#listener = listener
    const url = await listener.start(this.server)
    this.server.on('error', (error) => this.#options.log.error({ err: error }, 'server'))
    return url
  }

  /** Destroys every connection, also one with a request in flight. */
  destroyConnections(): void {
    this.#connections.destroyAll()
  }

  onClose(listener: () => void): void {
    this.#closeListeners.push(listener)
  }

  /**
   * Graceful shutdown: stops listening, and resolves when every connection is closed. Requests on open connections
   * still get their responses, with `Connection: close`. Idle connections are closed after `idleGraceMs`: a request of
   * a proxy may be in transit on one of them, and a proxy must not retry a POST after a reset (RFC 9110, section
   * 9.2.2).
   */
  async close(idleGraceMs = 0): Promise<void> {
    await this.#listener?.stop()
    this.#defaults.isClosing = true
    const closed = this.#connections.allClosed()
    const grace = new AbortController()
    await Promise.race([closed, setTimeout(idleGraceMs, undefined, { signal: grace.signal }).catch(() => {})])
    grace.abort()
    this.server.closeIdleConnections()
    await closed
    // Clears the interval by which Node checks the timeouts of connections. The interval would keep this object in
    // memory.
    this.server.close()
    this.#connections.stopChecking()
    for (const listener of this.#closeListeners) listener()
  }

  #warnOfUnread(connections: number): void {
    this.#options.log.warn(`closed ${counted(connections, 'connection')}: too many unread responses were in memory`)
  }

  /** Runs synchronously to the end when no step returns a promise: a prepared page is sent in the same call. */
  #handle(raw: IncomingMessage, response: HttpResponse): void {
    const request = new Request(raw)
    request.trace = this.#options.traceOf?.(request)
    if (request.trace) inTrace(request.trace, () => this.#respond(request, response))
    else this.#respond(request, response)
  }

  #respond(request: Request, response: HttpResponse): void {
    const reply = new Reply(response, request, this.#defaults)
    const fail = (error: unknown) => this.#fail(error, request, reply, response)
    try {
      const done = chain(this.#process(request, reply), () => this.#finish(request, reply))
      if (done instanceof Promise) done.catch(fail)
    } catch (error) {
      fail(error)
    }
  }

  #process(request: Request, reply: Reply): MaybePromise<void> {
    checkHead(request.raw)
    for (const hook of this.#hooks) {
      hook(request, reply)
      if (reply.isSent) return
    }
    const route = this.find(request)
    if (!route) return this.#refuseUnrouted(request, reply)
    request.route = route.path
    return chain(route.guard?.(request, reply), () => this.#runRoute(route, request, reply))
  }

  #runRoute({ method, bodyParsers, handle }: Route, request: Request, reply: Reply): MaybePromise<void> {
    if (reply.isSent) return
    const body = method === 'GET' ? undefined : readBody(request, bodyParsers, reply, this.#addressOf)
    return chain(body, (body) => {
      request.body = body
      return chain(handle(request, reply), (result) => {
        if (!reply.isSent) reply.send(result)
      })
    })
  }

  async #refuseUnrouted(request: Request, reply: Reply): Promise<never> {
    await this.#options.onNotFound(request, reply)
    throw this.refusalFor(request)
  }

  async #fail(error: unknown, request: Request, reply: Reply, response: HttpResponse): Promise<void> {
    if (error instanceof ClientGone) return
    try {
      if (reply.isSent) throw error
      await this.#options.onError(error, request, reply)
    } catch (unhandled) {
      this.#options.log.error({ ...request.logFields, err: unhandled }, 'could not send a response')
      // The head of the response is already written, so no error response can be sent: the connection is closed.
      if (reply.isSent) response.destroy()
      else reply.code(internalError.status).send(failure(request.id, internalError))
    }
    this.#finish(request, reply)
  }

  /** Writes one line for each request, without the query, which may contain a secret such as an OAuth code. */
  #finish(request: Request, { statusCode: status }: Reply): void {
    const { log, ipOf, observer } = this.#options
    const milliseconds = performance.now() - request.arrivedAt
    observer?.request(request.method, request.route, status, milliseconds)
    log.request?.({
      requestId: request.id,
      traceId: request.trace?.traceId,
      spanId: request.trace?.spanId,
      ip: ipOf(request),
      method: request.method,
      path: request.rawPath.slice(0, MAX_LOGGED_PATH_CHARACTERS),
      status,
      milliseconds,
    })
  }
}
