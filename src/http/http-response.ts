import { flatString } from '../lib/flat-string.ts'
import { ServerResponse, validateHeaderName, validateHeaderValue } from './node-http.ts'

type StoreHeader = (statusLine: string, headers: unknown) => void

// The method of Node that turns the headers of `writeHead` into text. It is not documented.
const { _storeHeader: storeHeader } = ServerResponse.prototype as unknown as { _storeHeader: StoreHeader }
if (typeof storeHeader !== 'function')
  throw new Error('This version of Node writes the head of a response in another way.')

// Node must see these headers, because it frames the message and manages the connection by them.
const NODE_HEADERS = /^(connection|content-length|date|expect|keep-alive|trailer|transfer-encoding)$/i

/**
 * A response that sends `headerLines` before the headers of `writeHead`, as they are. `writeHead` checks every
 * character of every header for each response: 15 % of the CPU time of sending a page. `headerLinesOf` checks them
 * once.
 */
export class HttpResponse extends ServerResponse {
  headerLines = ''
  /** The size of a body that is sent as a stream. */
  streamBytes = 0

  _storeHeader(statusLine: string, headers: unknown): void {
    storeHeader.call(this, statusLine + this.headerLines, headers)
  }
}

/** Throws on an invalid name or value (RFC 9110, section 5), such as a value with a line break. */
export function headerLinesOf(headers: Record<string, string>): string {
  const lines = Object.entries(headers).map(([name, value]) => {
    if (NODE_HEADERS.test(name)) throw new Error(`${name} must be a header of writeHead`)
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return `${name}: ${value}\r\n`
  })
  return flatString(lines.join(''))
}
