import type { ServerResponse } from 'node:http'
import { combined } from './headers.ts'
import type { PrebuiltResponse } from './prebuilt-response.ts'

type Value = string | string[]
const JSON_TYPE = 'application/json; charset=utf-8'
const TEXT_TYPE = 'text/plain; charset=utf-8'

/** What all answers of a server have in common. */
export interface ResponseDefaults {
  /** Names are in lower case. */
  headers: Record<string, string>
  /** Whether every answer is the last on its connection. */
  isClosing: boolean
}

/** What will be answered: put together on the way, and written at once by `send`. */
export class Reply {
  statusCode = 200
  isSent = false
  readonly #response: ServerResponse
  readonly #id: string
  readonly #defaults: ResponseDefaults
  #headerMap: Record<string, Value | number> | undefined

  constructor(response: ServerResponse, id: string, defaults: ResponseDefaults) {
    this.#response = response
    this.#id = id
    this.#defaults = defaults
  }

  get #headers(): Record<string, Value | number> {
    this.#headerMap ??= { ...this.#defaults.headers, 'x-request-id': this.#id }
    return this.#headerMap
  }

  /** Tells a client that waits before it sends its body to go on. */
  continue(): void {
    this.#response.writeContinue()
  }

  code(status: number): this {
    this.statusCode = status
    return this
  }

  header(name: string, value: Value): this {
    this.#headers[name.toLowerCase()] = value
    return this
  }

  headers(values: Record<string, Value>): this {
    for (const name in values) this.header(name, values[name] as Value)
    return this
  }

  /** For what was made ready before: the names are in lower case already. */
  mergeHeaders(headers: Record<string, string>): this {
    this.#headerMap = combined(this.#headers, headers)
    return this
  }

  type(type: string): this {
    this.#headers['content-type'] = type
    return this
  }

  /** Another thing that the answer depends on, for caches to know. */
  vary(name: string): this {
    return this.mergeHeaders({ vary: name })
  }

  redirect(to: string, status: number): this {
    return this.code(status).header('location', to).send('')
  }

  /** Texts and bytes are sent as they are, everything else as JSON. */
  send(payload?: unknown): this {
    const headers = this.#headers
    const body = bodyOf(payload)
    const size = body === undefined ? 0 : Buffer.byteLength(body)
    if (body !== undefined) {
      if (size > 0) headers['content-type'] ??= typeof payload === 'string' ? TEXT_TYPE : JSON_TYPE
      headers['content-length'] = size
    }
    if (this.#defaults.isClosing) headers.connection = 'close'
    this.#response.writeHead(this.statusCode, headers)
    this.isSent = true
    // A letter that is a byte is the same byte in both, and in latin1 there is nothing to look at.
    this.#response.end(body, size === body?.length ? 'latin1' : 'utf8')
    return this
  }

  /** Nothing is put together for it, unless there is something to add. */
  sendPrebuilt(ready: PrebuiltResponse): this {
    this.statusCode = ready.status
    if (this.#headerMap || this.#defaults.isClosing) return this.mergeHeaders(ready.headers).send(ready.bytes)
    this.#response.writeHead(ready.status, ready.headersFor(this.#id, this.#defaults.headers))
    this.isSent = true
    this.#response.end(ready.body, 'latin1')
    return this
  }
}

function bodyOf(payload: unknown): string | Buffer | undefined {
  const isReady = payload === undefined || typeof payload === 'string' || Buffer.isBuffer(payload)
  return isReady ? payload : JSON.stringify(payload)
}
