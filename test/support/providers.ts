import assert from 'node:assert/strict'
import { before, describe } from 'node:test'
import type { ProviderName } from '../../src/database/enumerations.ts'
import { cleanUp, suiteCleanUp } from './clean-up.ts'
import { type CodeHost, startCodeHost } from './code-host.ts'
import type { LoopbackServer } from './local-servers.ts'
import { startOpenIdProvider } from './openid-provider.ts'
import { ENGINES, type EngineName, type Service, startService } from './service.ts'

export interface TestProviders {
  codehost: CodeHost
  idp: SignInProvider
}

export const PROVIDER_NAMES = ['codehost', 'idp'] as const

/** Like onBothEngines, with a code host and an OpenID provider beside each service, at which users can sign in. */
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
  engines = ENGINES,
): void {
  for (const engine of engines) {
    // The two engines may run concurrently. The tests of one engine run one after the other.
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

/** The configured address of the services under test. */
export const HOME = 'http://localhost:3000'

/** A user as every kind of provider knows them. */
export interface ProviderPerson {
  email: string | undefined
  verified: boolean
  firstName: string
  lastName: string
  username: string
  avatar: string
}

/** A server at which users sign in. */
export interface SignInProvider extends Pick<LoopbackServer, 'url' | 'down' | 'up' | 'close'> {
  name: ProviderName
  /** The settings of the service for this provider. */
  settings: Record<string, string>
  people: People
  /** The number of attempts to exchange a code. */
  exchanges(): number
}

let admitted = 0

/** The accounts at a provider, by their subject. */
export class People {
  readonly #known = new Map<string, ProviderPerson>()

  /** Creates an account at the provider and returns its subject. */
  admit(person: Partial<ProviderPerson> = {}, subject = String(1000 + ++admitted)): string {
    this.#known.set(subject, {
      email: `ada-${subject}@example.com`,
      verified: true,
      firstName: 'Ada',
      lastName: 'Lovelace',
      username: `ada-${subject}`,
      avatar: `https://images.example/${subject}.png`,
      ...person,
    })
    return subject
  }

  change(subject: string, person: Partial<ProviderPerson>): void {
    this.#known.set(subject, { ...this.get(subject), ...person })
  }

  get(subject: string): ProviderPerson {
    const person = this.#known.get(subject)
    if (!person) throw new Error(`the provider has no user ${subject}`)
    return person
  }
}

/** The cookie with the user who is signed in at a provider, and the cookie of a user who then denies consent. */
export const USER_COOKIE = 'visitor'
export const DENIAL_COOKIE = 'unwilling'

/**
 * The requests of a browser at a provider, from the authorization URL to the callback. Returns the path and the query
 * of the callback.
 */
export async function visitProvider(authorizationUrl: string, visitor: string, as = USER_COOKIE): Promise<string> {
  const jar = new Map([[as, encodeURIComponent(visitor)]])
  let url = authorizationUrl
  for (let hops = 0; hops < 10; hops++) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      jar.set(name, value)
    }
    const body = await response.text()
    const location = response.headers.get('location')
    assert.ok(location, `the provider responded with ${response.status}: ${body}`)
    const { href, origin, pathname, search } = new URL(location, url)
    if (origin !== new URL(authorizationUrl).origin) return pathname + search
    url = href
  }
  throw new Error('the provider redirects in a loop')
}
