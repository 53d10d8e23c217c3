import type { Config } from '../config.ts'
import { codeHost } from './code-host.ts'
import type { Provider, ProviderName } from './identity.ts'
import { identityProvider } from './identity-provider.ts'

export type Providers = Record<ProviderName, Provider | undefined>

export function createProviders({ codehost, idp, baseUrl }: Config): Providers {
  return {
    codehost: codehost && codeHost(codehost, `${baseUrl}/api/oauth/codehost`),
    idp: idp && identityProvider(idp, `${baseUrl}/api/oauth/idp`),
  }
}
