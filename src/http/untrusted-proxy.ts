import { isPrivateAddress } from '../lib/local-address.ts'
import type { Log } from '../logging/log.ts'
import { createAddressMatcher, plainAddress } from './client-address.ts'
import type { HttpServer } from './server.ts'

/**
 * Logs one warning when a peer in a private network sends X-Forwarded-For and is not a trusted proxy: all visitors
 * behind it share one rate limit. A peer with a public address may be a client that forges the header, so it is not
 * logged.
 */
export function warnAboutUntrustedProxy(server: HttpServer, trustedProxies: string[], log: Log): void {
  const isTrusted = createAddressMatcher(trustedProxies)
  let isLogged = false
  let lastPeer: string | undefined
  server.addHook((request) => {
    if (isLogged || request.headers['x-forwarded-for'] === undefined) return
    const { remoteAddress } = request.raw.socket
    if (remoteAddress === lastPeer) return
    lastPeer = remoteAddress
    const peer = plainAddress(remoteAddress ?? '')
    if (!isPrivateAddress(peer) || isTrusted(peer)) return
    isLogged = true
    log.warn(
      `${peer} sends X-Forwarded-For and is not in TRUSTED_PROXIES: all visitors behind it share one rate limit. ` +
        `If it is your proxy, set TRUSTED_PROXIES=${peer}`,
    )
  })
}
