import { isIPv4 } from 'node:net'
import type { SiteIdentity } from '../mail/site-identity.ts'
import type { WebAuthnChallenges } from './webauthn-challenges.ts'

/** The site as the relying party of WebAuthn. Both values come from BASE_URL, never from a request. */
export interface RelyingParty {
  /** The host name: a passkey works on it and, if the browser is asked to, on its subdomains. */
  id: string
  origin: string
  /** False for an IP address, for which browsers refuse passkeys (WebAuthn Level 3, section 5.1.2). */
  isDomain: boolean
  /** Shown by some password managers. */
  name(): string
}

export interface WebAuthn {
  relyingParty: RelyingParty
  challenges: WebAuthnChallenges
}

export function createWebAuthn(
  baseUrl: string,
  siteIdentity: Pick<SiteIdentity, 'title'>,
  challenges: WebAuthnChallenges,
): WebAuthn {
  const { hostname, origin } = new URL(baseUrl)
  // An IPv6 address has brackets in a URL. `isIPv6` would compile a regular expression for 10 ms of the start.
  const isDomain = !isIPv4(hostname) && !hostname.startsWith('[')
  return { relyingParty: { id: hostname, origin, isDomain, name: siteIdentity.title }, challenges }
}

/**
 * The library that verifies the responses of authenticators. It is loaded when the first response is verified: it takes
 * a quarter of a second and 30 MB, which a service without passkeys does not need.
 */
export const loadLibrary = () => import('@simplewebauthn/server')
export const loadHelpers = () => import('@simplewebauthn/server/helpers')

/**
 * The challenge in the client data (WebAuthn Level 3, section 5.8.1), or undefined if the client data is malformed or
 * comes from a frame inside another site. The library verifies the type, the origin and the challenge.
 */
export function challengeIn(clientDataJson: string): string | undefined {
  const { challenge, crossOrigin } = clientDataOf(clientDataJson)
  return typeof challenge === 'string' && crossOrigin !== true ? challenge : undefined
}

function clientDataOf(encoded: string): { challenge?: unknown; crossOrigin?: unknown } {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString())
    return typeof parsed === 'object' && parsed !== null ? parsed : {}
  } catch {
    return {}
  }
}
