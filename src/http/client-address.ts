import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { boundedMemo } from '../lib/bounded-memo.ts'
import type { Request } from './request.ts'

// An IPv6 address has at most 45 characters, without brackets, zone and port.
const MAX_ADDRESS_CHARACTERS = 100
const MAX_DISPLAYED_CHARACTERS = 200

/**
 * The address that the list of sessions displays. It comes from headers that a client can forge, so no decision may use
 * it. Decisions use `clientIp`.
 */
export function displayedAddress(request: Request): string {
  const claimed = header(request, 'x-forwarded-for') || header(request, 'x-real-ip') || 'unknown'
  return claimed.slice(0, MAX_DISPLAYED_CHARACTERS)
}

export function header(request: Request, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/**
 * The IP address of the client: the peer of the connection or, if the peer is a trusted proxy, the last hop of
 * X-Forwarded-For that is not a trusted proxy. Decisions, mails and events use this address.
 */
export function clientIp(trustedProxies: string[]): (request: Request) => string {
  const isTrusted = createAddressMatcher(trustedProxies)
  return (request) => {
    let address = peerAddress(request.raw.socket.remoteAddress)
    if (!isTrusted(address)) return address
    // Reads the hops from the right, up to the first one that is not trusted. The hops to its left may be forged.
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

/** Returns a function that tells whether an address is one of these, or in one of these CIDR ranges. */
export function createAddressMatcher(entries: string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    list.addSubnet(address, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family)
  }
  return boundedMemo((address) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4'))
}

/** The subject that a rate limit counts for an IP address. An IPv6 address is counted by its /64, as one customer. */
export function rateLimitAddress(ip: string): string {
  return isIPv6(ip) ? prefixOf(ip, 64) : ip
}

export interface Network {
  /** In CIDR notation, such as `192.0.2.0/24`. */
  prefix: string
  /** The length of the prefix. */
  bits: number
  /** The multiple of the rate of one address that a limit allows this network. */
  factor: number
}

/**
 * The networks of an IP address that rate limits count, the widest last. Many providers assign a /56 to a household and
 * a /48 to a site (RFC 6177). A /24 is the smallest IPv4 network that is routed on its own.
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

/**
 * The canonical IP address in a text, without port and zone. An IPv4-mapped IPv6 address becomes IPv4. Empty if the
 * text is not an address.
 */
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
  const prefix = groups.slice(0, Math.ceil(bits / 16)).map((group) => Number.parseInt(group, 16))
  const [last = 0] = prefix.splice(-1)
  prefix.push(last & (0xffff << ((16 - (bits % 16)) % 16)))
  return `${prefix.map((group) => group.toString(16)).join(':')}::/${bits}`
}
