import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import type { Config } from '../config/config.ts'
import { isPublicAddress } from '../lib/local-address.ts'

export type Resolve = (host: string) => Promise<LookupAddress[]>

type Policy = Pick<Config, 'mode' | 'webhookPrivateAddresses'>

/** Why a webhook may not have this URL, whatever its name resolves to. Undefined for a URL that it may have. */
export function urlFault(url: URL, policy: Policy): string | undefined {
  if (url.username || url.password) return 'URL must not contain a user name or a password'
  if (url.protocol === 'http:' && policy.mode === 'production' && !policy.webhookPrivateAddresses)
    return 'URL must start with https://'
  const host = hostOf(url)
  return isIP(host) ? addressFault(host, url, policy) : undefined
}

/**
 * Resolves the host of a URL once and checks every address. A request connects to these addresses and resolves nothing
 * again, so a name that resolves to something else a moment later (DNS rebinding) changes nothing.
 */
export async function checkedAddresses(url: URL, policy: Policy, resolve: Resolve): Promise<LookupAddress[]> {
  const host = hostOf(url)
  const family = isIP(host)
  const addresses = family ? [{ address: host, family }] : await resolve(host)
  for (const { address } of addresses) {
    const fault = addressFault(address, url, policy)
    if (fault) throw new Error(fault)
  }
  return addresses
}

function addressFault(address: string, { protocol }: URL, policy: Policy): string | undefined {
  if (!isPublicAddress(address)) {
    return policy.webhookPrivateAddresses
      ? undefined
      : `${address} is not a public address (WEBHOOK_PRIVATE_ADDRESSES=on allows it)`
  }
  // Plain HTTP is for the operator's network. On the Internet it would show personal data to everybody on the way.
  return protocol === 'http:' && policy.mode === 'production' ? 'a public address needs https' : undefined
}

/**
 * The host, without the brackets of an IPv6 address. The URL parser has turned numbers such as 0x7f000001 into IPv4.
 */
function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}
