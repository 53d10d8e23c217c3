import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { everythingStored, someone, tryLogIn } from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  fieldsOf,
  newEmail,
  type Person,
  post,
  registration,
  signUp,
} from '../support/api.ts'
import { onBothEngines } from '../support/service.ts'

/** Addresses that look like an ASCII address, or become one when a program normalises them. */
const LOOKALIKES: [what: string, spell: (email: string) => string][] = [
  ['a Cyrillic letter', (email) => email.replace('e', '\u0435')],
  ['full-width letters', (email) => email.replace('p', '\uff50')],
  ['a full-width at sign', (email) => email.replace('@', '\uff20')],
  ['an ideographic full stop', (email) => email.replace('.', '\u3002')],
  ['a dotless i', (email) => email.replace('@', '\u0131@')],
  ['a capital I with a dot', (email) => email.replace('@', '\u0130@')],
  ['a long s', (email) => email.replace('s', '\u017f')],
  ['a combining mark', (email) => email.replace('e', 'e\u0301')],
  ['an accent', (email) => email.replace('e', '\u00e9')],
  ['a zero-width space', (email) => email.replace('p', 'p\u200b')],
  ['a word joiner at its end', (email) => `${email}\u2060`],
  ['a soft hyphen', (email) => email.replace('p', 'p\u00ad')],
  ['an override of direction', (email) => `\u202e${email}`],
  ['a tag character', (email) => email.replace('@', '\u{e0041}@')],
  ['an emoji', (email) => email.replace('@', '\u{1f600}@')],
  ['an international domain', (email) => email.replace('example', 'ex\u00e4mple')],
]

describe('an address in other characters', () => {
  onBothEngines((service) => {
    let owner: Person
    before(async () => {
      owner = await someone(service)
    })

    for (const [what, spell] of LOOKALIKES) {
      it(`with ${what} belongs to no account`, async () => {
        const email = spell(owner.email)
        assert.notEqual(email, owner.email)
        const stored = await everythingStored(service)
        const responses = [
          await post(service, '/api/create-account', registration({ email })),
          await post(service, '/api/log-in', { email, password: owner.password }),
          await post(service, '/api/forgot-password', { email }),
          await post(service, '/api/email-verification/resend', { email }),
          await post(service, '/api/reset-password', { ...registration({ email }), resetToken: '123456' }),
        ]
        for (const response of responses) {
          assertRefused(response, 400, 'Validation failed')
          assert.deepEqual(Object.keys(fieldsOf(response)), ['email'])
        }
        assert.deepEqual(await everythingStored(service), stored)
      })
    }

    it('that becomes ASCII in lower case is refused, as documented', async () => {
      // The Kelvin sign is the only such letter.
      const kelvin = newEmail().replace('person', '\u212a')
      assertRefused(await post(service, '/api/create-account', registration({ email: kelvin })), 400)
    })
  })
})

describe('a password in other characters', () => {
  onBothEngines((service) => {
    const choose = (password: string) => signUp(service, { password, confirmPassword: password })

    it('is the same in every Unicode normalisation form', async () => {
      const password = 'Zo\u00eb-\u00c5ngstr\u00f6m-\u1e69'
      const { email } = await choose(password)
      for (const spelling of ['NFC', 'NFD'] as const)
        assertSucceeded(await tryLogIn(service, email, password.normalize(spelling)))
      const decomposed = await choose(`${password}-2`.normalize('NFD'))
      assertSucceeded(await tryLogIn(service, decomposed.email, `${password}-2`))
    })

    it('is another one when its characters only look alike or are compatibility equivalents', async () => {
      const password = 'Office-\u2460-Stra\u00dfe'
      const { email } = await choose(password)
      const others = [
        password.normalize('NFKC'),
        password.replace('ff', '\ufb00'),
        password.replace('\u00df', 'ss'),
        password.replace('O', '\u041e'),
        `${password}\u200b`,
        `\ufeff${password}`,
        password.toUpperCase(),
      ]
      for (const other of others) {
        assert.notEqual(other, password)
        assertRefused(await tryLogIn(service, email, other), 401, 'Invalid email or password')
      }
      assertSucceeded(await tryLogIn(service, email, password))
    })

    it('may consist of invisible characters, and is not truncated at any of them', async () => {
      const password = 'A\u200b\u200d\u00a0\u3000\ufe0f\u{1f469}\u200d\u{1f680}z'
      const { email } = await choose(password)
      assertRefused(await tryLogIn(service, email, password.replaceAll(/[\u200b\u3000]/g, '')), 401)
      assertRefused(await tryLogIn(service, email, password.slice(0, -1)), 401)
      assertSucceeded(await tryLogIn(service, email, password))
    })
  })
})
