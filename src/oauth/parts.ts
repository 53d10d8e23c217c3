import type { AccountParts } from '../accounts/parts.ts'
import type { ProviderName } from '../database/enumerations.ts'
import type { Cookie } from '../http/cookies.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import type { Handshakes } from './handshakes.ts'
import type { Provider } from './identity.ts'
import type { Providers } from './providers.ts'

/** The dependencies of the operations that sign in through a provider. */
export interface OAuthParts extends AccountParts {
  providers: Providers
  handshakes: Handshakes
  /** The secret that binds a sign-in to the browser that began it. */
  handshakeCookie: Cookie
  /** The challenge of a sign-in whose second factor is missing. */
  secondFactorCookie: Cookie
  /** The name of the notice that the page after a redirect shows. */
  noticeCookie: Cookie
}

export const notConfigured = declareRefusal({
  status: 404,
  code: 'provider_not_configured',
  message: 'This sign-in provider is not configured',
  when: 'The site has no settings for the provider',
})

export function configured(providers: Providers, name: ProviderName): Provider {
  const provider = providers[name]
  if (!provider) throw new Refusal(notConfigured)
  return provider
}
