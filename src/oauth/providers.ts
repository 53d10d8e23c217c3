import type { Config } from '../config/config.ts'
import type { AuthMethod, ProviderName } from '../database/tables.ts'
import type { Provider } from './identity.ts'

export type Providers = Record<ProviderName, Provider | undefined>

/** The title of a provider; its name when it is no longer set up. */
export function titleOfProvider(providers: Providers, name: AuthMethod): string {
  const provider = name === 'email' ? undefined : providers[name]
  return provider?.title ?? name
}

/** Only what is set up is loaded. */
export async function createProviders({ codehost, idp, baseUrl }: Config): Promise<Providers> {
  return {
    codehost: codehost && (await import('./code-host.ts')).codeHost(codehost, `${baseUrl}/api/oauth/codehost`),
    idp: idp && (await import('./identity-provider.ts')).identityProvider(idp, `${baseUrl}/api/oauth/idp`),
  }
}
