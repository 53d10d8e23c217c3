import { combined } from './headers.ts'

type Headers = Record<string, string>

// What is joined with its headers leaves in one piece. What is larger is not copied for that.
const MAX_JOINED_BODY_BYTES = 16 * 1024

/** An answer that was made before anybody asked. Each time it is given, only the id of the request is new. */
export class PrebuiltResponse {
  readonly status: number
  /** Names are in lower case. */
  readonly headers: Headers
  readonly bytes: Buffer | undefined
  #body: Buffer | string | undefined
  #head: string[] | undefined

  constructor(status: number, headers: Headers, bytes?: Buffer) {
    this.status = status
    this.headers = headers
    this.bytes = bytes
  }

  /** A text of bytes, which Node joins with the headers. */
  get body(): Buffer | string | undefined {
    this.#body ??= this.bytes && this.bytes.length < MAX_JOINED_BODY_BYTES ? this.bytes.toString('latin1') : this.bytes
    return this.#body
  }

  /** Names and values, with those that all answers of the server have. One and the same list each time, good until the next. */
  headersFor(id: string, common: Headers): string[] {
    this.#head ??= Object.entries({
      'x-request-id': id,
      ...combined(common, this.headers),
      ...(this.bytes && { 'content-length': String(this.bytes.length) }),
    }).flat()
    this.#head[1] = id
    return this.#head
  }
}
