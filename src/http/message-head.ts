import type { IncomingMessage } from 'node:http'
import { Refusal, type RefusalKind } from './refusal.ts'

// Rules of RFC 9110 and 9112 for the head of a request that Node's parser does not check.

export const malformed: RefusalKind = { status: 400, message: 'Malformed HTTP request' }
const expectationFailed: RefusalKind = { status: 417, message: 'Expectation failed' }
const unknownCoding: RefusalKind = { status: 501, message: 'Transfer coding is not supported' }
export const versionNotSupported: RefusalKind = { status: 505, message: 'HTTP version is not supported' }

const KINDS = new Set([malformed, expectationFailed, unknownCoding, versionNotSupported])

// RFC 3986, section 3.2: a name or an IPv4 address, or an IPv6 address in brackets; then a port.
const HOST = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i
// A host name has at most 253 characters (RFC 1035, section 2.3.4).
const MAX_HOST_CHARACTERS = 260

/** Whether a refusal is about HTTP itself, so that no page is shown for it. */
export function isProtocolFault(kind: RefusalKind): boolean {
  return KINDS.has(kind)
}

/** Whether the client waits for a 100 response before it sends the body. HTTP/1.0 has no such thing. */
export function expectsContinue({ headers: { expect }, httpVersionMinor }: IncomingMessage): boolean {
  return expect !== undefined && httpVersionMinor > 0 && expect.toLowerCase() === '100-continue'
}

/** Throws what a request is refused with, whatever it asks for. */
export function checkHead(raw: IncomingMessage): void {
  const fault = faultOf(raw)
  if (fault) throw new Refusal(fault, { headers: { connection: 'close' } })
}

function faultOf(raw: IncomingMessage): RefusalKind | undefined {
  const { headers, httpVersionMajor, httpVersionMinor } = raw
  if (httpVersionMajor !== 1) return versionNotSupported
  if (!hasGoodHost(raw)) return malformed
  if (headers.expect !== undefined && httpVersionMinor > 0 && !expectsContinue(raw)) return expectationFailed
  const coding = headers['transfer-encoding']
  if (coding === undefined || (httpVersionMinor > 0 && coding.toLowerCase() === 'chunked')) return undefined
  // RFC 9112, section 6.1: HTTP/1.0 has no transfer codings, and a server refuses those that it does not implement.
  return httpVersionMinor === 0 ? malformed : unknownCoding
}

// Nearly all requests name the same host.
let lastGood = ''

/** RFC 9112, section 3.2: one Host header with a valid value; none only in HTTP/1.0. */
function hasGoodHost({ headers: { host }, rawHeaders, httpVersionMinor }: IncomingMessage): boolean {
  if (host === undefined) return httpVersionMinor === 0
  if (host !== lastGood) {
    if (host.length > MAX_HOST_CHARACTERS || !HOST.test(host)) return false
    lastGood = host
  }
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (name.length === 4 && (name === 'Host' || name === 'host' || name.toLowerCase() === 'host')) count++
  }
  return count === 1
}
