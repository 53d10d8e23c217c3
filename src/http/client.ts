import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { boundedMemo } from '../lib/bounded-memo.ts'
import type { Request } from './request.ts'

// An IPv6 address has at most 45 characters; brackets, a zone and a port may stand around it.
const MAX_ADDRESS_CHARACTERS = 100

/** What a session shows as its address: what the request says of itself, for display and never for a decision. */
export function displayedAddress(request: Request): string {
  const said = header(request, 'x-forwarded-for') || header(request, 'x-real-ip') || 'unknown'
  return said.slice(0, 200)
}

export function header(request: Request, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/**
 * The IP address a request comes from: the peer of the connection, or, behind proxies that the operator trusts, the
 * last hop of X-Forwarded-For that none of them added. Decisions, mails and events use this address.
 */
export function clientIp(trustedProxies: string[]): (request: Request) => string {
  const isTrusted = isAmong(trustedProxies)
  return (request) => {
    let address = peerAddress(request.raw.socket.remoteAddress)
    if (!isTrusted(address)) return address
    // Read from the right, and no further than the first hop that is not trusted.
    const hops = header(request, 'x-forwarded-for') ?? ''
    let end = hops.length
    while (end > 0 && isTrusted(address)) {
      const comma = hops.lastIndexOf(',', end - 1)
      const hop = plainAddress(hops.slice(comma + 1, end).trim())
      if (!hop) break
      address = hop
      end = comma
    }
    return address
  }
}

/** Whether an address is one of these, or in one of these CIDR ranges. */
export function isAmong(entries: string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    list.addSubnet(address, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family)
  }
  return boundedMemo((address) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4'))
}

/** Whom a rate limit counts an IP address as: IPv6 counts by /64, which is what one customer gets. */
export function rateLimitAddress(ip: string): string {
  return isIPv6(ip) ? prefixOf(ip, 64) : ip
}

export interface Network {
  /** Such as `192.0.2.0/24`. */
  prefix: string
  /** The length of the prefix. */
  bits: number
  /** How many times the rate of one address a limit allows it. */
  factor: number
}

/**
 * The networks that a rate limit counts an IP address for, the widest last. A /56 is what many providers give to one
 * household and a /48 to one site (RFC 6177), a /24 is the smallest IPv4 network that is routed on its own.
 */
export function networksAround(ip: string): Network[] {
  if (isIPv4(ip)) return [{ prefix: `${ip.slice(0, ip.lastIndexOf('.'))}.0/24`, bits: 24, factor: 4 }]
  if (!isIPv6(ip)) return []
  return [
    { prefix: prefixOf(ip, 56), bits: 56, factor: 2 },
    { prefix: prefixOf(ip, 48), bits: 48, factor: 4 },
  ]
}

const peerAddress = boundedMemo(plainAddress)

/** Without port and zone, and IPv4 in its own spelling when it is wrapped in IPv6. Empty for what is no address. */
export function plainAddress(text: string): string {
  if (text.length > MAX_ADDRESS_CHARACTERS) return ''
  const [, inBrackets, beforePort] = /^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text) ?? []
  const address = (inBrackets ?? beforePort ?? text).split('%')[0] ?? ''
  if (!isIPv6(address)) return isIPv4(address) ? address : ''
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const mapped = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(canonical)
  if (!mapped) return canonical
  const [high, low] = [Number.parseInt(mapped[1] ?? '', 16), Number.parseInt(mapped[2] ?? '', 16)]
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
}

/** The network of a canonical IPv6 address, such as `2001:db8:0:0::/64`. */
function prefixOf(canonical: string, bits: number): string {
  const [head = '', tail] = canonical.split('::')
  const groups = head ? head.split(':') : []
  if (tail !== undefined) {
    const after = tail ? tail.split(':') : []
    while (groups.length + after.length < 8) groups.push('0')
    groups.push(...after)
  }
  const kept = groups.slice(0, Math.ceil(bits / 16)).map((group) => Number.parseInt(group, 16))
  const [last = 0] = kept.splice(-1)
  kept.push(last & (0xffff << ((16 - (bits % 16)) % 16)))
  return `${kept.map((group) => group.toString(16)).join(':')}::/${bits}`
}
