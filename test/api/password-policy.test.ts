import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newResetCode, reset, tryLogIn } from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  fieldsOf,
  mailsTo,
  newEmail,
  post,
  registration,
  signUp,
} from '../support/api.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const NO_UPPERCASE = 'Password must contain at least one uppercase letter'
const TOO_COMMON = 'Password is too common, please choose another one'
const atLeast = (characters: number) => `Password must be at least ${characters} characters`
const TOO_LONG = 'Password must be at most 128 characters'

describe('the basic password policy', () => {
  onBothEngines((service) => {
    const accepted: [string, string][] = [
      ['8 characters', 'Horses-7'],
      ['128 characters', `A${'b'.repeat(127)}`],
      ['an uppercase letter that is not Latin', 'жёлтый-Дом'],
      ['128 characters of four bytes each', `A${'🐎'.repeat(127)}`],
    ]
    for (const [what, password] of accepted) it(`accepts ${what}`, () => assertAccepted(service, password))

    const refused: [string, string, string][] = [
      ['7 characters', 'Horse-7', atLeast(8)],
      ['7 characters of four bytes each', `A${'🐎'.repeat(6)}`, atLeast(8)],
      ['129 characters', `A${'b'.repeat(128)}`, TOO_LONG],
      ['no uppercase letter', 'correct-horse-7', NO_UPPERCASE],
      ['no uppercase letter in any script', 'жёлтый-дом', NO_UPPERCASE],
    ]
    for (const [what, password, message] of refused) {
      it(`refuses ${what}`, () => assertNotAccepted(service, password, message))
    }

    it('never truncates a password', async () => {
      const password = `A${'b'.repeat(127)}`
      const { email } = await signUp(service, { password, confirmPassword: password })
      assertRefused(await tryLogIn(service, email, password.slice(0, -1)), 401)
      assertRefused(await tryLogIn(service, email, `${password.slice(0, -1)}c`), 401)
      assertRefused(await tryLogIn(service, email, `${password}b`), 401)
    })
  })
})

describe('the NIST password policy', () => {
  onBothEngines(
    (service) => {
      const accepted: [string, string][] = [
        ['15 lower-case characters', 'seven-red-boats'],
        ['a sentence with blanks', 'a quiet river at dusk'],
        ['128 characters', 'the owl sleeps, '.repeat(8)],
      ]
      for (const [what, password] of accepted) it(`accepts ${what}`, () => assertAccepted(service, password))

      const refused: [string, string, string][] = [
        ['14 characters', 'Seven-Red-Boat', atLeast(15)],
        ['14 characters of four bytes each', '🐎🚲🚀🎻🎲🍏🍋🍇🍒🌵🌲🍄🌍🔥', atLeast(15)],
        ['129 characters', `${'the owl sleeps, '.repeat(8)}.`, TOO_LONG],
        ...[
          'passwordpassword',
          'PasswordPassword',
          'qwertyuiopasdfgh',
          '1234567890123456',
          'aaaaaaaaaaaaaaaaaaaa',
          'abcabcabcabcabcabc',
        ].map((password): [string, string, string] => [password, password, TOO_COMMON]),
      ]
      for (const [what, password, message] of refused) {
        it(`refuses ${what}`, () => assertNotAccepted(service, password, message))
      }

      it('applies to a reset, and leaves the code valid', async () => {
        const { email } = await signUp(service, twice('seven-red-boats'))
        const code = await newResetCode(service, email)
        for (const weak of ['Seven-Red-Boat', 'passwordpassword']) {
          assertRefused(await reset(service, email, code, weak), 400, 'Validation failed')
          assertRefused(await tryLogIn(service, email, weak), 401)
        }
        assertSucceeded(await reset(service, email, code, 'seven-blue-boats'))
      })

      it('applies to a change', async () => {
        const person = await signUp(service, twice('seven-red-boats'))
        for (const newPassword of ['Seven-Red-Boat', 'passwordpassword']) {
          const body = { currentPassword: person.password, newPassword, confirmPassword: newPassword }
          const response = await post(service, '/api/change-password', body, { as: person })
          assertRefused(response, 400, 'Validation failed')
          assert.deepEqual(Object.keys(fieldsOf(response)), ['newPassword'])
        }
        assertSucceeded(await tryLogIn(service, person.email, person.password))
      })

      it('does not apply to a password that is only checked', async () => {
        assertRefused(await tryLogIn(service, newEmail(), 'short'), 401, 'Invalid email or password')
      })
    },
    { PASSWORD_POLICY: 'nist' },
  )
})

function twice(password: string) {
  return { password, confirmPassword: password }
}

async function assertAccepted(service: Service, password: string): Promise<void> {
  const { email } = await signUp(service, twice(password))
  assertSucceeded(await tryLogIn(service, email, password))
}

async function assertNotAccepted(service: Service, password: string, message: string): Promise<void> {
  const body = registration(twice(password))
  const response = await post(service, '/api/create-account', body)
  assertRefused(response, 400, 'Validation failed')
  assert.deepEqual(fieldsOf(response), { password: message })
  assert.equal(await service.portico.store.findByEmail(body.email), undefined)
  assert.deepEqual(await mailsTo(service, body.email), [])
}
