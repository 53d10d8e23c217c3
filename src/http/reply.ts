import type { ServerResponse } from 'node:http'

type Value = string | string[]
const JSON_TYPE = 'application/json; charset=utf-8'
const TEXT_TYPE = 'text/plain; charset=utf-8'

/** What will be answered: put together on the way, and written at once by `send`. */
export class Reply {
  statusCode = 200
  isSent = false
  readonly #response: ServerResponse
  readonly #headers: Record<string, Value | number>
  readonly #isLast: () => boolean

  /** The headers become its own: names are in lower case. `isLast` tells whether its connection is to be closed. */
  constructor(response: ServerResponse, headers: Record<string, string>, isLast: () => boolean) {
    this.#response = response
    this.#headers = headers
    this.#isLast = isLast
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
  prepared(headers: Record<string, string>): this {
    const { vary } = this.#headers
    Object.assign(this.#headers, headers)
    if (vary && headers.vary) this.#headers.vary = `${vary}, ${headers.vary}`
    return this
  }

  type(type: string): this {
    this.#headers['content-type'] = type
    return this
  }

  /** Another thing that the answer depends on, for caches to know. */
  vary(name: string): this {
    const { vary } = this.#headers
    this.#headers.vary = vary ? `${vary}, ${name}` : name
    return this
  }

  redirect(to: string, status: number): this {
    return this.code(status).header('location', to).send('')
  }

  /** Texts and bytes are sent as they are, everything else as JSON. */
  send(payload?: unknown): this {
    const headers = this.#headers
    const body = bodyOf(payload)
    if (body !== undefined) {
      if (body.length > 0) headers['content-type'] ??= typeof payload === 'string' ? TEXT_TYPE : JSON_TYPE
      headers['content-length'] = Buffer.byteLength(body)
    }
    if (this.#isLast()) headers.connection = 'close'
    this.#response.writeHead(this.statusCode, headers)
    this.isSent = true
    this.#response.end(body)
    return this
  }
}

function bodyOf(payload: unknown): string | Buffer | undefined {
  const isReady = payload === undefined || typeof payload === 'string' || Buffer.isBuffer(payload)
  return isReady ? payload : JSON.stringify(payload)
}
