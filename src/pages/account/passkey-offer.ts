import { Cookie } from '../../http/cookies.ts'

/** The module of `pages/web` that lets the browser create a passkey after a log-in with a password. */
export const PASSKEY_OFFER_SCRIPT = 'passkey-upgrade'

/** The cookie that a log-in with a password sets. The next account page then has the script, and clears the cookie. */
export function createPasskeyOffer({ baseUrl }: { baseUrl: string }): Cookie {
  return new Cookie('portico_passkey_offer', { seconds: 60, https: baseUrl.startsWith('https:') })
}
