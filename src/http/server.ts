import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'
// The global of that name is looked up anew each time it is used.
import { performance } from 'node:perf_hooks'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { chain, type MaybePromise } from '../lib/maybe-promise.ts'
import type { Log } from '../logging/log.ts'
import { refuseBadHttp } from './bad-http.ts'
import { ClientGone, readBody } from './body.ts'
import { CONNECTION_LIMITS, type ConnectionLimits, Connections } from './connections.ts'
import { failure } from './envelope.ts'
import { checkHead } from './message-head.ts'
import { internalError } from './refusal.ts'
import { Reply, type ResponseDefaults } from './reply.ts'
import { Request } from './request.ts'
import { type Hook, type Route, Routes } from './routes.ts'

interface ServerOptions {
  /** Headers of every answer. */
  defaultHeaders: Record<string, string>
  /** Sees what leads nowhere before it is refused. */
  onNotFound(request: Request, reply: Reply): Promise<unknown>
  /** Makes an answer of whatever went wrong. */
  onError(error: unknown, request: Request, reply: Reply): unknown
  log: Log
  /** The address of the client, for the log. */
  ipOf(request: Request): string
  limits?: ConnectionLimits
}

// Request line and headers together. Node answers 431 beyond it.
const MAX_HEAD_BYTES = 32 * 1024
const MAX_LOGGED_CHARACTERS = 500

function createNodeServer({ headersMs, requestMs, keepAliveMs, checkMs }: ConnectionLimits): Server {
  return createServer({
    // A missing Host is refused by us, in the envelope.
    requireHostHeader: false,
    // A request that announces no body is at its end from the start, as `readBody` sees it too.
    optimizeEmptyRequests: true,
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: checkMs,
  })
}
// Each may hold as much memory as its headers are large. Beyond it, new ones are closed at once.
const MAX_CONNECTIONS = 5000
// How many turns of the event loop the listener waits at most for one in which no connection arrives.
const MAX_TURNS_BEFORE_CLOSING = 1000

/** The way of every request, in the order it is written in `#process`. Between Node and the routes there is nothing else. */
export class HttpServer extends Routes {
  readonly server: Server
  readonly #options: ServerOptions
  readonly #defaults: ResponseDefaults
  readonly #connections: Connections
  readonly #hooks: Hook[] = []

  constructor(options: ServerOptions) {
    super()
    this.#options = options
    this.#defaults = { headers: options.defaultHeaders, isClosing: false }
    const limits = options.limits ?? CONNECTION_LIMITS
    this.server = createNodeServer(limits)
    this.server.maxConnections = MAX_CONNECTIONS
    this.#connections = new Connections(this.server, limits, (raw, response) => this.#answer(raw, response))
    refuseBadHttp(this.server, this.#connections, options.defaultHeaders)
  }

  /** For every request, wherever it leads, and also when it leads nowhere. */
  addHook(hook: Hook): void {
    this.#hooks.push(hook)
  }

  async listen(at: { host: string; port: number }): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.server.once('error', reject).listen(at, resolve)
    await promise
    this.server.off('error', reject).on('error', (error) => this.#options.log.error({ err: error }, 'server'))
    const { family, address, port } = this.server.address() as AddressInfo
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
  }

  /** Closes every connection at once, answered or not. */
  destroyConnections(): void {
    this.#connections.destroyAll()
  }

  onClose(then: () => void): void {
    this.server.once('close', then)
  }

  /**
   * Stops listening, and resolves when every connection is closed. Requests are still answered, with `Connection: close`.
   * Idle connections are closed after `idleGraceMs`: a proxy may have sent a request on one that is still on its way, and
   * a proxy must not repeat a POST that was reset (RFC 9110, section 9.2.2).
   */
  async close(idleGraceMs = 0): Promise<void> {
    await this.#emptyAcceptQueue()
    this.#defaults.isClosing = true
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    // Not `this.server.close()`: that also destroys idle connections at once.
    NetServer.prototype.close.call(this.server, () => resolve())
    const grace = new AbortController()
    await Promise.race([closed, setTimeout(idleGraceMs, undefined, { signal: grace.signal }).catch(() => {})])
    grace.abort()
    this.server.closeIdleConnections()
    await closed
  }

  /**
   * Resolves right after a turn of the event loop in which no connection was accepted. The kernel resets the connections
   * that wait in the accept queue when the listener is closed, and Node accepts one in each turn.
   */
  async #emptyAcceptQueue(): Promise<void> {
    let accepted = 0
    const count = () => {
      accepted += 1
    }
    this.server.on('connection', count)
    for (let turn = 0, before = -1; before !== accepted && turn < MAX_TURNS_BEFORE_CLOSING; turn++) {
      before = accepted
      await setImmediate()
    }
    this.server.off('connection', count)
  }

  /** What is known at once is answered at once. */
  #answer(raw: IncomingMessage, response: ServerResponse): void {
    const request = new Request(raw)
    const reply = new Reply(response, request.id, this.#defaults)
    const fail = (error: unknown) => this.#fail(error, request, reply, response)
    try {
      const done = chain(this.#process(request, reply), () => this.#log(request, reply))
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
    if (!route) return this.#refuse(request, reply)
    return chain(route.guard?.(request, reply), () => this.#admitted(route, request, reply))
  }

  #admitted({ method, bodyParsers, handle }: Route, request: Request, reply: Reply): MaybePromise<void> {
    if (reply.isSent) return
    const body = method === 'GET' ? undefined : readBody(request, bodyParsers, reply)
    return chain(body, (body) => {
      request.body = body
      return chain(handle(request, reply), (result) => {
        if (!reply.isSent) reply.send(result)
      })
    })
  }

  async #refuse(request: Request, reply: Reply): Promise<never> {
    await this.#options.onNotFound(request, reply)
    throw this.refusalFor(request)
  }

  async #fail(error: unknown, request: Request, reply: Reply, response: ServerResponse): Promise<void> {
    if (error instanceof ClientGone) return
    try {
      if (reply.isSent) throw error
      await this.#options.onError(error, request, reply)
    } catch (worse) {
      this.#options.log.error({ requestId: request.id, err: worse }, 'could not answer')
      // Of an answer that has begun, nothing more can be said; whoever waits should not wait for it.
      if (reply.isSent) response.destroy()
      else reply.code(internalError.status).send(failure(request.id, internalError.message))
    }
    this.#log(request, reply)
  }

  /** One line a request. The query is left out: it may carry what nobody should read in a log. */
  #log(request: Request, { statusCode: status }: Reply): void {
    const { log, ipOf } = this.#options
    log.request?.({
      requestId: request.id,
      ip: ipOf(request),
      method: request.method,
      path: request.rawPath.slice(0, MAX_LOGGED_CHARACTERS),
      status,
      milliseconds: Math.round((performance.now() - request.arrivedAt) * 10) / 10,
    })
  }
}
