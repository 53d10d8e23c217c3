import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Log } from '../log.ts'
import { answerBadHttp, answerExpectation, malformed } from './bad-http.ts'
import { ClientGone, readBody } from './body.ts'
import { Refusal } from './refusal.ts'
import { Reply } from './reply.ts'
import { Request } from './request.ts'
import { type Check, Routes } from './routes.ts'

interface Conduct {
  /** Headers of every answer. */
  protection: Record<string, string>
  /** Makes an answer of whatever went wrong. */
  failed(error: unknown, request: Request, reply: Reply): unknown
  log: Log
}

// A slow client may not hold a connection for long: Node looks for them only so often. Headers may be large enough for a
// hostile token to be refused as one, and a missing Host is refused by us, in the envelope.
const OPTIONS: ServerOptions = {
  requireHostHeader: false,
  maxHeaderSize: 128 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1000,
}
// Each may hold as much memory as its headers are large. Beyond it, new ones are closed at once.
const MOST_CONNECTIONS = 5000

/** The way of every request, in the order it is written in `answer`. Between Node and the routes there is nothing else. */
export class HttpServer extends Routes {
  readonly server: Server
  readonly #conduct: Conduct
  readonly #checks: Check[] = []
  #isClosing = false

  constructor(conduct: Conduct) {
    super()
    this.#conduct = conduct
    this.server = createServer(OPTIONS, (raw, response) => void this.#answer(raw, response))
    this.server.maxConnections = MOST_CONNECTIONS
    this.server.on('clientError', answerBadHttp(conduct.protection))
    this.server.on('checkExpectation', answerExpectation(conduct.protection))
  }

  /** For every request, wherever it leads, and also when it leads nowhere. */
  check(check: Check): void {
    this.#checks.push(check)
  }

  async listen(at: { host: string; port: number }): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.server.once('error', reject).listen(at, resolve)
    await promise
    this.server.off('error', reject)
    const { family, address, port } = this.server.address() as AddressInfo
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
  }

  /** Answers from now on tell their clients to find another instance for the next request. */
  drain(): void {
    this.#isClosing = true
  }

  onClose(then: () => void): void {
    this.server.once('close', then)
  }

  /** Takes nobody new, and resolves when everybody who is here has been answered. */
  async close(): Promise<void> {
    this.drain()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.server.close(() => resolve())
    await promise
  }

  async #answer(raw: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = new Request(raw)
    const { protection, failed, log } = this.#conduct
    const reply = new Reply(response, { ...protection, 'x-request-id': request.id }, () => this.#isClosing)
    try {
      await this.#process(request, reply)
    } catch (error) {
      if (error instanceof ClientGone) return
      try {
        if (reply.isSent) throw error
        await failed(error, request, reply)
      } catch (worse) {
        // Nothing can be said any more; whoever waits should not wait for it.
        log.error({ requestId: request.id, err: worse }, 'could not answer')
        response.destroy()
      }
    }
    this.#log(request, reply)
  }

  async #process(request: Request, reply: Reply): Promise<void> {
    if (!request.headers.host && request.raw.httpVersion === '1.1') {
      throw new Refusal(malformed, { headers: { connection: 'close' } })
    }
    const route = this.find(request)
    for (const check of this.#checks) {
      // Most have nothing to wait for, and a promise for each would cost more than they do.
      const pending = check(request, reply, route)
      if (pending) await pending
      if (reply.isSent) return
    }
    if (!route) throw this.refusalFor(request)
    if (route.admit) {
      await route.admit(request, reply)
      if (reply.isSent) return
    }
    if (route.method !== 'GET') request.body = await readBody(request, route.forms)
    const pending = route.handle(request, reply)
    const result = pending instanceof Promise ? await pending : pending
    if (!reply.isSent) reply.send(result)
  }

  /** One line a request. The query is left out: it may carry what nobody should read in a log. */
  #log({ id, method, rawPath, arrivedAt }: Request, { statusCode }: Reply): void {
    if (!this.#conduct.log.isLevelEnabled('info')) return
    const milliseconds = Math.round((performance.now() - arrivedAt) * 10) / 10
    this.#conduct.log.info({ requestId: id, method, path: rawPath, status: statusCode, milliseconds }, 'request')
  }
}
