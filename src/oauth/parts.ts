import type { AccountParts } from '../accounts/parts.ts'
import type { ProviderName } from '../database/tables.ts'
import type { Cookie } from '../http/cookies.ts'
import { Refusal } from '../http/refusal.ts'
import type { Handshakes } from './handshakes.ts'
import type { Provider } from './identity.ts'
import type { Providers } from './providers.ts'

/** What signing in through a provider works with. */
export interface OAuthParts extends AccountParts {
  providers: Providers
  handshakes: Handshakes
  /** Ties a sign-in to the browser that began it. */
  handshakeCookie: Cookie
  /** Names what the next page says to somebody whose browser is sent there. */
  noticeCookie: Cookie
}

export const notConfigured = { status: 404, message: 'This sign-in provider is not configured' }

export function configured(providers: Providers, name: ProviderName): Provider {
  const provider = providers[name]
  if (!provider) throw new Refusal(notConfigured)
  return provider
}
