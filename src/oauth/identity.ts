import type { ProviderName } from '../database/enumerations.ts'
import { declareRefusal } from '../http/refusal.ts'

export const refusedByProvider = declareRefusal({
  status: 400,
  code: 'refused_by_provider',
  message: 'The sign-in was refused by the provider',
  when: 'The provider refused the sign-in, or its response is not valid',
})
export const providerUnreachable = declareRefusal({
  status: 502,
  code: 'provider_unreachable',
  message: 'The sign-in provider cannot be reached, please try again',
  when: 'The provider does not respond',
})

/** The user of a provider, as the provider describes them. */
export interface Identity {
  provider: ProviderName
  /** The server of the provider. A subject is unique only within its issuer (OpenID Connect Core 1.0, section 2). */
  issuer: string
  subject: string
  /** The e-mail address, if the provider has verified it. */
  verifiedEmail: string | undefined
  firstName: string
  lastName: string
  /** The user's name at the provider, if it has usernames. */
  username: string | undefined
  avatar: string | undefined
}

/** The secrets of one sign-in: `state`, the PKCE code verifier (RFC 7636) and the OpenID Connect nonce. */
export interface Handshake {
  state: string
  codeVerifier: string
  nonce: string
}

/** A sign-in provider. */
export interface Provider {
  name: ProviderName
  /** The display name. */
  title: string
  authorizationUrl(handshake: Handshake): Promise<URL>
  /** Exchanges the code of the callback URL for an identity. Makes all checks of OAuth 2.0 and OpenID Connect. */
  identify(callback: URL, handshake: Handshake): Promise<Identity>
}

const TITLES: Record<string, string> = { 'github.com': 'GitHub', 'accounts.google.com': 'Google' }

/** The display name of a provider for which the settings have none. */
export function titleOf(url: string): string {
  const { hostname, host } = new URL(url)
  return TITLES[hostname] ?? host
}

/** Splits a full name at its first white space. */
export function splitName(name: string): { firstName: string; lastName: string } {
  const [firstName = '', ...rest] = name.trim().split(/\s+/)
  return { firstName, lastName: rest.join(' ') }
}

/** The value if it is a string. The types of a provider's JSON are not validated otherwise. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
