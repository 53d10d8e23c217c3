import { mergedHeaders } from './headers.ts'
import { headerLinesOf } from './http-response.ts'

type ResponseHeaders = Record<string, string>

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
  readonly headers: ResponseHeaders
  readonly bytes: Buffer | undefined
  /** Content-Length, which Node reads, as the list for `response.writeHead`. */
  readonly sizeHeader: string[]
  #body: Buffer | string | undefined
  #headerLines: string | undefined

  constructor(status: number, headers: ResponseHeaders, bytes?: Buffer) {
    this.status = status
    this.headers = headers
    this.bytes = bytes
    this.sizeHeader = bytes ? ['content-length', String(bytes.length)] : []
  }

  /** The memory of the string that a small body is converted to when it is first sent. */
  get copiedBytes(): number {
    return this.bytes && this.bytes.length < MAX_STRING_BODY_BYTES ? this.bytes.length : 0
  }

  /** The body for `response.end(body, 'latin1')`: a small body as a latin1 string, a larger one as the buffer. */
  get body(): Buffer | string | undefined {
    this.#body ??= this.copiedBytes > 0 ? this.bytes?.toString('latin1') : this.bytes
    return this.#body
  }

  /**
   * All its header lines but `x-request-id` and `content-length`. A prebuilt response belongs to one server, so the
   * default headers are always the same.
   */
  headerLines(defaultHeaders: ResponseHeaders): string {
    this.#headerLines ??= headerLinesOf(mergedHeaders(defaultHeaders, this.headers))
    return this.#headerLines
  }
}
