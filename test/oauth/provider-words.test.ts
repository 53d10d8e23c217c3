import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import type { JWTPayload } from 'jose'
import { ownProfile } from '../support/accounts.ts'
import { assertHandled, assertRefused, assertSucceeded, get } from '../support/api.ts'
import { startCodeHost } from '../support/code-host.ts'
import { startFaultyOpenIdProvider } from '../support/faulty-openid-provider.ts'
import { HARMLESS_URLS, HOSTILE_URLS } from '../support/hostile-input.ts'
import { besideServices, PROVIDER_NAMES, type ProviderPerson } from '../support/providers.ts'
import { assertNoSignIn, signedIn, signIn } from '../support/sign-in-steps.ts'

const USERNAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{1,28}[A-Za-z0-9]$/

describe('the profile at a provider', () => {
  const startAll = async () => ({ codehost: await startCodeHost(), idp: await startFaultyOpenIdProvider() })
  // Names are cleaned before they are stored.
  besideServices(
    startAll,
    (service, providers) => {
      afterEach(() => {
        Object.assign(providers.codehost.faults, { user: undefined, emails: undefined })
        providers.idp.override.idToken = undefined
      })

      const profileOf = async (name: 'codehost' | 'idp', person: Partial<ProviderPerson>) => {
        const { people } = providers[name]
        return ownProfile(service, await signedIn(service, providers[name], people.admit(person)))
      }

      for (const name of PROVIDER_NAMES) {
        it(`has characters removed that no name may have, from the ${name}`, async () => {
          const profile = await profileOf(name, {
            firstName: '\u0000Ada\r\nBcc:',
            lastName: 'Love\u2028lace\u0085\u001b[31m',
          })
          const words = `${profile.firstName} ${profile.lastName}`
          assert.match(words, /^Ada .*Bcc:.* Love .*lace/)
          assert.doesNotMatch(words, /[\p{Cc}\u2028\u2029]/u)
        })

        it(`is truncated to the length of a name, never within a character, from the ${name}`, async () => {
          // An odd number of UTF-16 code units before the pairs: a cut after an even number of units would split one.
          for (const firstName of ['x'.repeat(300), `x${'😀'.repeat(300)}`]) {
            const profile = await profileOf(name, { firstName, lastName: firstName })
            for (const stored of [profile.firstName, profile.lastName]) {
              assert.ok([...stored].length <= 50 && stored.length > 40, `${stored.length}`)
              assert.ok(firstName.startsWith(stored), stored)
            }
          }
        })

        it(`gets a default name when the ${name} has none`, async () => {
          for (const blank of ['', ' ', '\t\u0000', '\u2028']) {
            const person = {
              firstName: blank,
              lastName: blank,
              username: '',
              email: `nameless-${name}-${blank.length}${blank.codePointAt(0)}@example.com`,
            }
            const profile = await profileOf(name, person)
            assert.equal(profile.firstName, person.email.split('@')[0])
            assert.equal(profile.lastName, '')
            assert.match(profile.username, USERNAME)
          }
        })

        it(`gives no avatar unless it is a web URL, from the ${name}`, async () => {
          for (const avatar of [...HOSTILE_URLS, `https://example.com/${'a'.repeat(2048)}`]) {
            assert.equal((await profileOf(name, { avatar })).avatar, '', avatar)
          }
          for (const avatar of HARMLESS_URLS) assert.equal((await profileOf(name, { avatar })).avatar, avatar)
        })

        it(`gives the username if it is free and valid, from the ${name}`, async () => {
          const username = `Wanted.${name}`
          assert.equal((await profileOf(name, { username })).username, username)
          const names = [
            username,
            username.toUpperCase(),
            'admin',
            'a',
            'ada@example.com',
            '../etc',
            'ünïcode',
            '<b>',
            '-x-',
            'x'.repeat(300),
          ]
          for (const taken of names) {
            const profile = await profileOf(name, { username: taken, firstName: 'Grace', lastName: 'Hopper' })
            assert.match(profile.username, /^grace\.hopper\d*$/)
            assert.equal(profile.hasChangedUsername, false)
          }
        })

        it(`is listed with a linked account by its username, else by the address, from the ${name}`, async () => {
          for (const [username, shown] of [
            ['ada', 'ada'],
            ['', undefined],
            ['\u0007', undefined],
          ] as const) {
            const subject = providers[name].people.admit({ username })
            const as = await signedIn(service, providers[name], subject)
            const { body } = await get(service, '/api/linked-accounts', { as })
            assert.equal(body.data.linkedAccounts[0].username, shown ?? as.email)
          }
        })
      }

      const [id, login] = [4711, 'octo']
      it('is refused when the code host sends no id', async () => {
        const subject = providers.codehost.people.admit()
        for (const user of [null, [], {}, { login }, { id: null, login }, { id: [], login }, { id: '', login }]) {
          providers.codehost.faults.user = { body: JSON.stringify(user) }
          await assertNoSignIn(service, async () => {
            assertRefused(await signIn(service, providers.codehost, subject), 502)
          })
        }
      })

      it('is refused when the code host sends no list of addresses', async () => {
        const subject = providers.codehost.people.admit()
        const flags = { primary: true, verified: true }
        for (const emails of [
          null,
          {},
          { message: 'Not Found' },
          [null],
          [{ ...flags, email: 7 }],
          [{ ...flags, email: null }],
        ]) {
          providers.codehost.faults.emails = { body: JSON.stringify(emails) }
          await assertNoSignIn(service, async () => {
            assertHandled(await signIn(service, providers.codehost, subject), [400, 502])
          })
        }
      })

      it('may lack a name and a picture at the code host', async () => {
        providers.codehost.faults.user = { body: JSON.stringify({ id, login, name: null, avatar_url: null }) }
        const profile = await profileOf('codehost', {})
        assert.deepEqual(
          [profile.firstName, profile.lastName, profile.username, profile.avatar],
          [login, '', login, ''],
        )
      })

      it('gives a verified address only when it is the primary one at the code host', async () => {
        const subject = providers.codehost.people.admit()
        const emails = [
          { email: 'first@example.com', primary: false, verified: true },
          { email: 'second@example.com', primary: true, verified: false },
          { email: 'third@example.com', primary: true, verified: 'false' },
        ]
        providers.codehost.faults.emails = { body: JSON.stringify(emails) }
        await assertNoSignIn(service, async () => {
          assertRefused(await signIn(service, providers.codehost, subject), 400)
        })
      })

      const overrideClaims = (claims: Record<string, unknown>) => {
        providers.idp.override.idToken = (honest, sign) => sign({ ...honest, ...claims } as JWTPayload)
      }

      it('has a verified address at the identity provider only with the value true', async () => {
        for (const email_verified of [false, 'false', 1, 'yes', null, [], {}, undefined]) {
          overrideClaims({ email_verified })
          await assertNoSignIn(service, async () => {
            assertRefused(await signIn(service, providers.idp, providers.idp.people.admit()), 400)
          })
        }
        // Some providers send the boolean as a string.
        overrideClaims({ email_verified: 'true' })
        assertSucceeded(await signIn(service, providers.idp, providers.idp.people.admit()))
      })

      it('may have one name at the identity provider, or one that is no string', async () => {
        overrideClaims({ given_name: undefined, family_name: undefined, name: 'Ada King Lovelace' })
        const profile = await profileOf('idp', {})
        assert.deepEqual([profile.firstName, profile.lastName], ['Ada', 'King Lovelace'])
        overrideClaims({ given_name: '', family_name: '', name: 'Ada Lovelace' })
        assert.equal((await profileOf('idp', {})).firstName, 'Ada')
        overrideClaims({ given_name: 7, family_name: {}, name: null, preferred_username: ['a'], picture: 7 })
        const unnamed = await profileOf('idp', { email: 'typed@example.com' })
        assert.deepEqual([unnamed.firstName, unnamed.lastName, unnamed.avatar], ['typed', '', ''])
      })
    },
    {},
    ['sqlite'],
  )
})
