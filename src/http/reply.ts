import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { mergedHeaders } from './headers.ts'
import type { HttpResponse } from './http-response.ts'
import type { PrebuiltResponse } from './prebuilt-response.ts'
import type { Request } from './request.ts'
import { MIN_COUNTED_BYTES } from './unread-responses.ts'

type HeaderValue = string | string[]

const JSON_TYPE = 'application/json; charset=utf-8'
const TEXT_TYPE = 'text/plain; charset=utf-8'
// A file stream buffers up to 64 KiB (its highWaterMark), and so does the socket.
const STREAM_BUFFER_BYTES = 2 * 64 * 1024

/** The properties that all responses of a server share. */
export interface ResponseDefaults {
  /** Names are in lower case. */
  headers: Record<string, string>
  /** Whether the server is shutting down. Each response is then the last on its connection. */
  isClosing: boolean
  /** Counts a body in memory until the client has read it. */
  countUnread(request: Request, response: HttpResponse, content: unknown, bytes: number): void
}

/**
 * The response to one request. Hooks, guards and handlers set its status and headers. `send` or `sendPrebuilt` writes
 * it, once and as a whole.
 */
export class Reply {
  statusCode = 200
  isSent = false
  readonly #response: HttpResponse
  readonly #request: Request
  readonly #defaults: ResponseDefaults
  #headerMap: Record<string, HeaderValue | number> | undefined

  constructor(response: HttpResponse, request: Request, defaults: ResponseDefaults) {
    this.#response = response
    this.#request = request
    this.#defaults = defaults
  }

  /** Created from the default headers at the first use. A prebuilt response without further headers needs no copy. */
  get #headers(): Record<string, HeaderValue | number> {
    this.#headerMap ??= { ...this.#defaults.headers, 'x-request-id': this.#request.id }
    return this.#headerMap
  }

  /** Sends 100 Continue to a client that waits for it before it sends its body (RFC 9110, section 10.1.1). */
  continue(): void {
    this.#response.writeContinue()
  }

  code(status: number): this {
    this.statusCode = status
    return this
  }

  header(name: string, value: HeaderValue): this {
    this.#headers[name.toLowerCase()] = value
    return this
  }

  headers(values: Record<string, HeaderValue>): this {
    for (const name in values) this.header(name, values[name] as HeaderValue)
    return this
  }

  /**
   * Sets headers whose names are in lower case. Their `vary` is added to the one that is set, instead of replacing it.
   */
  mergeHeaders(headers: Record<string, string>): this {
    this.#headerMap = mergedHeaders(this.#headers, headers)
    return this
  }

  type(type: string): this {
    this.#headers['content-type'] = type
    return this
  }

  /** Adds the name of a request header that the response depends on to `Vary` (RFC 9110, section 12.5.5). */
  vary(name: string): this {
    return this.mergeHeaders({ vary: name })
  }

  redirect(location: string, status: number): this {
    return this.code(status).header('location', location).send('')
  }

  /** Writes the response. Strings and buffers are the body as they are. Any other payload is serialized as JSON. */
  send(payload?: unknown): this {
    const headers = this.#headers
    const body = bodyOf(payload)
    const size = body === undefined ? 0 : Buffer.byteLength(body)
    if (body !== undefined) {
      if (size > 0) headers['content-type'] ??= typeof payload === 'string' ? TEXT_TYPE : JSON_TYPE
      headers['content-length'] = size
    }
    this.#writeHead()
    // A string of as many bytes as characters is ASCII, which has the same bytes in latin1. Node writes latin1 faster.
    return this.#end(body, size === body?.length ? 'latin1' : 'utf8', size)
  }

  /** Writes the head of a response whose body has `size` bytes, without the body: for HEAD, and for an empty body. */
  sendSize(size: number): this {
    this.#headers['content-length'] = size
    return this.send()
  }

  /**
   * Writes a response with `size` bytes of a stream as its body, and resolves at its end. A stream that fails or ends
   * earlier closes the connection, so that the client does not accept a truncated body.
   */
  async sendStream(body: Readable, size: number): Promise<this> {
    this.#headers['content-length'] = size
    this.#response.streamBytes = size
    this.#writeHead()
    if (size >= MIN_COUNTED_BYTES) this.#countUnread(undefined, Math.min(size, STREAM_BUFFER_BYTES))
    let sent = 0
    body.on('data', (chunk: Buffer) => {
      sent += chunk.length
    })
    try {
      await pipeline(body, this.#response, { end: false })
      if (sent === size) this.#response.end()
      else this.#response.destroy()
    } catch {
      // The client has gone, or the file cannot be read further.
      this.#response.destroy()
    }
    return this
  }

  /** Ends the response. A large body is counted if the kernel did not take all of it. */
  #end(body: string | Buffer | undefined, encoding: 'latin1' | 'utf8', bytes: number): this {
    this.#response.end(body, encoding)
    if (bytes >= MIN_COUNTED_BYTES && this.#response.socket?.writableLength) this.#countUnread(body, bytes)
    return this
  }

  #countUnread(content: unknown, bytes: number): void {
    // A response whose connection is closed emits no further `close`, which ends the counting.
    if (this.#response.destroyed) return
    this.#defaults.countUnread(this.#request, this.#response, content, bytes)
  }

  /**
   * Adds the headers of the IETF draft "RateLimit header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers) to the
   * response of a counted request, and ends the connection of a server that is shutting down.
   */
  #writeHead(): void {
    const headers = this.#headers
    const { rateLimitPolicies, rateLimitStates } = this.#request
    if (rateLimitPolicies) {
      headers['ratelimit-policy'] = rateLimitPolicies
      headers.ratelimit = rateLimitStates
    }
    if (this.#defaults.isClosing) headers.connection = 'close'
    this.#response.writeHead(this.statusCode, headers)
    this.isSent = true
  }

  /**
   * Writes a prebuilt response with its header lines. The headers are merged only if this reply has set some.
   */
  sendPrebuilt(prebuilt: PrebuiltResponse): this {
    this.statusCode = prebuilt.status
    if (this.#headerMap || this.#defaults.isClosing || this.#request.rateLimitPolicies)
      return this.mergeHeaders(prebuilt.headers).send(prebuilt.bytes)
    this.#response.headerLines = `x-request-id: ${this.#request.id}\r\n${prebuilt.headerLines(this.#defaults.headers)}`
    this.#response.writeHead(prebuilt.status, prebuilt.sizeHeader)
    this.isSent = true
    return this.#end(prebuilt.body, 'latin1', prebuilt.bytes?.length ?? 0)
  }
}

function bodyOf(payload: unknown): string | Buffer | undefined {
  const isBody = payload === undefined || typeof payload === 'string' || Buffer.isBuffer(payload)
  return isBody ? payload : JSON.stringify(payload)
}
