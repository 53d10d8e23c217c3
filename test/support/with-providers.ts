import { before, describe } from 'node:test'
import { cleanUp, suiteCleanUp } from './clean-up.ts'
import { type CodeHost, startCodeHost } from './code-host.ts'
import { startOpenIdProvider } from './openid-provider.ts'
import { ENGINES, type EngineName, type Service, startService } from './service.ts'
import type { SignInProvider } from './sign-in-provider.ts'

export interface TestProviders {
  codehost: CodeHost
  idp: SignInProvider
}

export const PROVIDER_NAMES = ['codehost', 'idp'] as const

/** As onBothEngines, with a code host and an OpenID provider beside each service, at which people can sign in. */
export function withProviders(
  facts: (service: Service, providers: TestProviders, engine: EngineName) => void,
  settings?: Record<string, string>,
): void {
  besideServices(async () => ({ codehost: await startCodeHost(), idp: await startOpenIdProvider() }), facts, settings)
}

/** The same with other providers. They and the service are stand-ins until the first test starts. */
export function besideServices<Providers extends object>(
  startAll: () => Promise<Providers>,
  facts: (service: Service, providers: Providers, engine: EngineName) => void,
  settings: Record<string, string> = {},
): void {
  for (const engine of ENGINES) {
    // Where the two engines may run side by side, the tests of one still come one after the other.
    describe(`on ${engine}`, { concurrency: 1 }, () => {
      const service = {} as Service
      const providers = {} as Providers
      const all = () => Object.values<SignInProvider>({ ...(providers as Record<string, SignInProvider>) })
      const suite = suiteCleanUp()
      before(async () => {
        Object.assign(providers, await startAll())
        for (const provider of all()) cleanUp(suite, () => provider.close())
        const theirs = Object.assign({}, ...all().map((provider) => provider.settings))
        Object.assign(service, await startService(engine, { ...theirs, ...settings }))
        cleanUp(suite, () => service.close())
      })
      facts(service, providers, engine)
    })
  }
}
