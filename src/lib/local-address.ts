import { BlockList, isIP } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

// RFC 1918, RFC 6598 (carrier-grade NAT), RFC 3927 and RFC 4291 (link-local), RFC 4193 (unique local).
const internal = new BlockList()
internal.addSubnet('10.0.0.0', 8)
internal.addSubnet('172.16.0.0', 12)
internal.addSubnet('192.168.0.0', 16)
internal.addSubnet('100.64.0.0', 10)
internal.addSubnet('169.254.0.0', 16)
internal.addSubnet('fc00::', 7, 'ipv6')
internal.addSubnet('fe80::', 10, 'ipv6')

/** Whether an IP address is of this machine, also as IPv4 mapped into IPv6. */
export function isLoopbackAddress(address: string): boolean {
  return isIn(loopback, address)
}

/** Whether an IP address is of this machine or of a private network. */
export function isPrivateAddress(address: string): boolean {
  return isIn(loopback, address) || isIn(internal, address)
}

/**
 * Whether a host name, or an address with or without brackets, is of this machine. RFC 6761 reserves `.localhost` for
 * it.
 */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase()
  if (name === 'localhost' || name.endsWith('.localhost')) return true
  return isLoopbackAddress(name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name)
}

function isIn(list: BlockList, address: string): boolean {
  const version = address.includes('%') ? 0 : isIP(address)
  return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4')
}
