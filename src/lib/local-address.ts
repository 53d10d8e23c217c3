import { BlockList, isIP } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

// RFC 1918, RFC 6598 (carrier-grade NAT), RFC 3927 and RFC 4291 (link-local), RFC 4193 (unique local).
const privateNetworks = new BlockList()
privateNetworks.addSubnet('10.0.0.0', 8)
privateNetworks.addSubnet('172.16.0.0', 12)
privateNetworks.addSubnet('192.168.0.0', 16)
privateNetworks.addSubnet('100.64.0.0', 10)
privateNetworks.addSubnet('169.254.0.0', 16)
privateNetworks.addSubnet('fc00::', 7, 'ipv6')
privateNetworks.addSubnet('fe80::', 10, 'ipv6')

/** Whether an IP address is a loopback address, also if it is IPv4-mapped IPv6. */
export function isLoopbackAddress(address: string): boolean {
  return isIn(loopback, address)
}

/** Whether an IP address is a loopback address or belongs to a private network. */
export function isPrivateAddress(address: string): boolean {
  return isIn(loopback, address) || isIn(privateNetworks, address)
}

/**
 * Whether a host is this machine: a loopback address, with or without brackets, or a name that RFC 6761 (section 6.3)
 * reserves for it, `localhost` or below `.localhost`.
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
