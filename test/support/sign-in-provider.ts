import assert from 'node:assert/strict'
import type { ProviderName } from '../../src/database/tables.ts'
import type { LoopbackServer } from './loopback-server.ts'

/** The address that the services under test believe to have. */
export const HOME = 'http://localhost:3000'

/** Somebody as every kind of provider knows them. */
export interface ProviderPerson {
  email: string | undefined
  verified: boolean
  firstName: string
  lastName: string
  username: string
  avatar: string
}

/** A server that people sign in at. */
export interface SignInProvider extends Pick<LoopbackServer, 'url' | 'down' | 'up' | 'close'> {
  name: ProviderName
  /** What the service needs to be told of it. */
  settings: Record<string, string>
  people: People
  /** How often somebody tried to exchange a code there. */
  exchanges(): number
}

let admitted = 0

/** Who has an account at a provider, by what it knows them by. */
export class People {
  readonly #known = new Map<string, ProviderPerson>()

  /** Gives somebody whom nobody knew an account, and answers its subject. */
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
    if (!person) throw new Error(`nobody is known as ${subject}`)
    return person
  }
}

/** The cookie that says who is signed in at a provider, and the one of somebody who then refuses to sign in with it. */
export const VISITOR = 'visitor'
export const UNWILLING = 'unwilling'

/**
 * A browser's way through a provider: from the address it was sent to, to the one it is sent back to, of which the path
 * and the query are answered.
 */
export async function visitProvider(authorizationUrl: string, visitor: string, as = VISITOR): Promise<string> {
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
    assert.ok(location, `the provider answered ${response.status}: ${body}`)
    const { href, origin, pathname, search } = new URL(location, url)
    if (origin !== new URL(authorizationUrl).origin) return pathname + search
    url = href
  }
  throw new Error('the provider sends its visitors round in circles')
}
