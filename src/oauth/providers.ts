import type { Config } from '../config/config.ts'
import { type AuthMethod, PROVIDER_NAMES, type ProviderName } from '../database/enumerations.ts'
import { constantNames } from '../http/openapi-components.ts'
import { oneOf } from '../http/schema.ts'
import type { Provider } from './identity.ts'

export const ProviderField = oneOf(PROVIDER_NAMES, {
  title: 'ProviderName',
  ...constantNames(PROVIDER_NAMES, 'Provider'),
  'x-message': 'Provider must be codehost or idp',
})

export type Providers = Record<ProviderName, Provider | undefined>

/** The display name of a provider, or its name (`codehost` or `idp`) when the provider is no longer configured. */
export function titleOfProvider(providers: Providers, name: AuthMethod): string {
  const provider = name === 'email' ? undefined : providers[name]
  return provider?.title ?? name
}

/** Imports only the modules of configured providers. */
export async function createProviders({ codehost, idp, baseUrl }: Config): Promise<Providers> {
  return {
    codehost: codehost && (await import('./code-host.ts')).codeHost(codehost, `${baseUrl}/api/oauth/codehost`),
    idp: idp && (await import('./identity-provider.ts')).identityProvider(idp, `${baseUrl}/api/oauth/idp`),
  }
}
