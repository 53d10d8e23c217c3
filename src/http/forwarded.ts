import { isLoopbackAddress, isLoopbackHost } from '../lib/local-address.ts'
import type { Request } from './request.ts'

// Headers that proxies, load balancers, CDNs and tunnels add to requests (RFC 7239, RFC 9110, and vendors' own).
const FORWARDING_HEADERS = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'client-ip',
  'front-end-https',
  'max-forwards',
  'x-amzn-trace-id',
  'x-appengine-user-ip',
  'x-cloud-trace-context',
  'x-nf-client-connection-ip',
  'x-original-url',
  'x-proxyuser-ip',
  'x-varnish',
  'x-vercel-id',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-original-forwarded-for',
  'x-original-host',
  'x-envoy-external-address',
  'x-azure-clientip',
  'true-client-ip',
  'cf-connecting-ip',
  'cf-connecting-ipv6',
  'cf-ray',
  'cdn-loop',
  'fastly-client-ip',
  'fly-client-ip',
])

/** Whether a request has a header that only intermediaries add. */
function isForwarded({ headers }: Pick<Request, 'headers'>): boolean {
  for (const name in headers) {
    if (name.startsWith('x-forwarded') || FORWARDING_HEADERS.has(name)) return true
  }
  return false
}

/**
 * Whether a request was sent from this machine to this machine, without an intermediary.
 *
 * The Host header must name this machine: with DNS rebinding, any web page can make a developer's browser send requests
 * to a loopback address under a foreign host. HTTP/1.0 does not qualify: by default, nginx forwards with HTTP/1.0, with
 * a local Host header and without forwarding headers.
 */
export function isFromThisMachine(request: Request): boolean {
  const { raw, headers } = request
  return (
    isLoopbackAddress(raw.socket.remoteAddress ?? '') &&
    isLocalAuthority(headers.host) &&
    raw.httpVersion === '1.1' &&
    // Clients send the absolute form only to proxies (RFC 9112, section 3.2.2).
    raw.url?.startsWith('/') === true &&
    !isForwarded(request)
  )
}

/** Whether a forwarded request was sent to a public site: by https, or to a host that is not this machine. */
export function isPublic(request: Pick<Request, 'headers'>): boolean {
  if (!isForwarded(request)) return false
  const { headers } = request
  const forwarded = listOf(headers.forwarded).join(';').split(/[;,]/)
  const forwardedValues = (name: string) =>
    forwarded.flatMap((pair) => {
      const [key, value = ''] = pair.trim().split('=', 2)
      return key?.toLowerCase() === name ? value.replaceAll('"', '') : []
    })
  const protocols = [...listOf(headers['x-forwarded-proto']), ...forwardedValues('proto')]
  const hosts = [headers.host ?? '', ...listOf(headers['x-forwarded-host']), ...forwardedValues('host')]
  return protocols.some((protocol) => /^(https|wss)$/i.test(protocol)) || !hosts.every(isLocalAuthority)
}

/** Whether a Host header names this machine, with any port. */
function isLocalAuthority(authority: string | undefined): boolean {
  const [, host] = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i.exec(authority ?? '') ?? []
  return host !== undefined && isLoopbackHost(host)
}

function listOf(header: string | string[] | undefined): string[] {
  return [header ?? []].flat().flatMap((value) => value.split(',').map((item) => item.trim()))
}
