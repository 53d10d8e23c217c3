import type { IncomingMessage } from 'node:http'
import { declareRefusal, Refusal, type RefusalKind } from './refusal.ts'

// Checks of the request head that RFC 9110 and RFC 9112 require and Node's parser does not make.

export const malformed = declareRefusal({
  status: 400,
  code: 'malformed_request',
  message: 'Malformed HTTP request',
  when: 'The request is not valid HTTP',
})
const expectationFailed = declareRefusal({
  status: 417,
  code: 'expectation_failed',
  message: 'Expectation failed',
  when: 'The header `Expect` has another value than `100-continue`',
})
const unsupportedTransferCoding = declareRefusal({
  status: 501,
  code: 'unsupported_transfer_coding',
  message: 'Transfer coding is not supported',
  when: 'The header `Transfer-Encoding` has another value than `chunked`',
})
export const versionNotSupported = declareRefusal({
  status: 505,
  code: 'http_version_not_supported',
  message: 'HTTP version is not supported',
  when: 'The request has another version than HTTP/1.0 or HTTP/1.1',
})

const PROTOCOL_ERRORS = new Set([malformed, expectationFailed, unsupportedTransferCoding, versionNotSupported])

// RFC 3986, section 3.2: a registered name, an IPv4 address or a bracketed IPv6 address, with an optional port.
const HOST = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i
// A host name has at most 253 characters (RFC 1035, section 2.3.4), a port at most 5.
const MAX_HOST_CHARACTERS = 260

/** Whether a refusal is about the HTTP message itself. No page is rendered for it. */
export function isProtocolError(kind: RefusalKind): boolean {
  return PROTOCOL_ERRORS.has(kind)
}

/**
 * Whether the client waits for 100 Continue before it sends the body. RFC 9110, section 10.1.1: a server ignores this
 * in an HTTP/1.0 request.
 */
export function expectsContinue({ headers: { expect }, httpVersionMinor }: IncomingMessage): boolean {
  return expect !== undefined && httpVersionMinor > 0 && expect.toLowerCase() === '100-continue'
}

/** Throws a refusal if the head violates HTTP. Runs before routing, for every request. */
export function checkHead(raw: IncomingMessage): void {
  const kind = protocolErrorOf(raw)
  if (kind) throw new Refusal(kind, { headers: { connection: 'close' } })
}

function protocolErrorOf(raw: IncomingMessage): RefusalKind | undefined {
  const { headers, httpVersionMajor, httpVersionMinor } = raw
  if (httpVersionMajor !== 1) return versionNotSupported
  if (!hasValidHost(raw)) return malformed
  if (headers.expect !== undefined && httpVersionMinor > 0 && !expectsContinue(raw)) return expectationFailed
  const coding = headers['transfer-encoding']
  if (coding === undefined || (httpVersionMinor > 0 && coding.toLowerCase() === 'chunked')) return undefined
  // RFC 9112, section 6.1: HTTP/1.0 has no transfer codings, and a server refuses those that it does not implement.
  return httpVersionMinor === 0 ? malformed : unsupportedTransferCoding
}

// Nearly all requests have the same Host header, so the last valid one is not checked again.
let lastValidHost = ''

/** RFC 9112, section 3.2: exactly one Host header, with a valid value. HTTP/1.0 requests may have none. */
function hasValidHost({ headers: { host }, rawHeaders, httpVersionMinor }: IncomingMessage): boolean {
  if (host === undefined) return httpVersionMinor === 0
  if (host !== lastValidHost) {
    if (host.length > MAX_HOST_CHARACTERS || !HOST.test(host)) return false
    lastValidHost = host
  }
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (name.length === 4 && (name === 'Host' || name === 'host' || name.toLowerCase() === 'host')) count++
  }
  return count === 1
}
