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

// The special-purpose addresses that are not globally reachable (RFC 6890, and the registries of IANA), besides those
// above: "this network", protocol assignments, documentation, the 6to4 relay, benchmarks, multicast and reserved ones.
const specialNetworks = new BlockList()
specialNetworks.addSubnet('0.0.0.0', 8)
specialNetworks.addSubnet('192.0.0.0', 24)
specialNetworks.addSubnet('192.0.2.0', 24)
specialNetworks.addSubnet('192.88.99.0', 24)
specialNetworks.addSubnet('198.18.0.0', 15)
specialNetworks.addSubnet('198.51.100.0', 24)
specialNetworks.addSubnet('203.0.113.0', 24)
specialNetworks.addSubnet('224.0.0.0', 4)
specialNetworks.addSubnet('240.0.0.0', 4)
// Protocol assignments with Teredo, documentation, and 6to4, whose addresses contain an IPv4 address.
specialNetworks.addSubnet('2001::', 23, 'ipv6')
specialNetworks.addSubnet('2001:db8::', 32, 'ipv6')
specialNetworks.addSubnet('2002::', 16, 'ipv6')
specialNetworks.addSubnet('3fff::', 20, 'ipv6')

// RFC 4291, section 2.4, and the registry of IANA: global unicast addresses are assigned from this block only. NAT64
// (RFC 6052), IPv4-mapped, multicast and unspecified addresses are outside of it.
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')

/** Whether an IP address is a loopback address, also if it is IPv4-mapped IPv6. */
export function isLoopbackAddress(address: string): boolean {
  return isIn(loopback, address)
}

/** Whether an IP address is a loopback address or belongs to a private network. */
export function isPrivateAddress(address: string): boolean {
  return isIn(loopback, address) || isIn(privateNetworks, address)
}

/** Whether an IP address is one of a host on the Internet. False for an IPv6 address that contains an IPv4 address. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || isPrivateAddress(address) || isIn(specialNetworks, address)) return false
  return isIP(address) === 4 || isIn(globalUnicast, address)
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
