import type { ProviderName } from '../database/tables.ts'

export const refusedByProvider = { status: 400, message: 'The sign-in was refused by the provider' }
export const providerUnreachable = { status: 502, message: 'The sign-in provider cannot be reached, please try again' }

/** Who a provider says somebody is. */
export interface Identity {
  provider: ProviderName
  /** Which server said so: the same subject at another server is somebody else. */
  issuer: string
  subject: string
  /** Only an address that the provider itself has verified; otherwise undefined. */
  verifiedEmail: string | undefined
  firstName: string
  lastName: string
  /** What the person is called there, if it has such names. */
  username: string | undefined
  avatar: string | undefined
}

/** The secrets of one sign-in, from the way out to the way back. */
export interface Handshake {
  state: string
  codeVerifier: string
  nonce: string
}

/** A server that people sign in at. */
export interface Provider {
  name: ProviderName
  /** What people call it. */
  title: string
  authorizationUrl(handshake: Handshake): Promise<URL>
  /** Exchanges what came back for an identity; every check of the protocol is made here. */
  identify(callback: URL, handshake: Handshake): Promise<Identity>
}

const TITLES: Record<string, string> = { 'github.com': 'GitHub', 'accounts.google.com': 'Google' }

/** The name of a provider that the settings do not name. */
export function titleOf(address: string): string {
  const { hostname, host } = new URL(address)
  return TITLES[hostname] ?? host
}

/** One name as providers give it, split the way our accounts keep it. */
export function splitName(name: string): { firstName: string; lastName: string } {
  const [firstName = '', ...rest] = name.trim().split(/\s+/)
  return { firstName, lastName: rest.join(' ') }
}

/** Providers may send anything; only a text is one. */
export function textOf(said: unknown): string | undefined {
  return typeof said === 'string' ? said : undefined
}
