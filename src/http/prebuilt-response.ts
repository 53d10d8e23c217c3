import { mergedHeaders } from './headers.ts'

type Headers = Record<string, string>

// Node writes headers and body in one chunk when the body is a string. A larger body is not converted, to save its
// copy.
const MAX_STRING_BODY_BYTES = 16 * 1024

/**
 * A response whose headers and body are built once and sent many times. Only the request id differs between two
 * responses. `Reply.sendPrebuilt` sends it.
 */
export class PrebuiltResponse {
  readonly status: number
  /** Its own headers, without the default headers of the server. Names are in lower case. */
  readonly headers: Headers
  readonly bytes: Buffer | undefined
  #body: Buffer | string | undefined
  #headerList: string[] | undefined

  constructor(status: number, headers: Headers, bytes?: Buffer) {
    this.status = status
    this.headers = headers
    this.bytes = bytes
  }

  /** The body for `response.end(body, 'latin1')`: a small body as a latin1 string, a larger one as the buffer. */
  get body(): Buffer | string | undefined {
    this.#body ??= this.bytes && this.bytes.length < MAX_STRING_BODY_BYTES ? this.bytes.toString('latin1') : this.bytes
    return this.#body
  }

  /**
   * The headers for `response.writeHead`, as alternating names and values. Every call returns the same array with
   * another request id, so a caller must write it before the next call.
   */
  headerList(requestId: string, defaultHeaders: Headers): string[] {
    this.#headerList ??= Object.entries({
      'x-request-id': requestId,
      ...mergedHeaders(defaultHeaders, this.headers),
      ...(this.bytes && { 'content-length': String(this.bytes.length) }),
    }).flat()
    this.#headerList[1] = requestId
    return this.#headerList
  }
}
