import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  assertAlike,
  assertAlive,
  newResetCode,
  register,
  removePassword,
  reset,
  tryLogIn,
} from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  eventTypes,
  fieldsOf,
  mailsTo,
  newEmail,
  PASSWORD,
  post,
  signUp,
} from '../support/api.ts'
import { onBothEngines, type Service } from '../support/service.ts'

describe('forgot-password', () => {
  onBothEngines((service) => {
    it('mails a code, and changes nothing until the code is used', async () => {
      const person = await signUp(service)
      const response = await forgot(service, person.email)
      assertSucceeded(response)
      assert.deepEqual(Object.keys(response.body).sort(), ['message', 'requestId', 'success', 'timestamp'])
      const [mail, ...others] = await mailsTo(service, person.email)
      assert.equal(others.length, 1)
      assert.equal(mail?.subject, 'Reset your password - Portico')
      assert.match(mail?.text ?? '', /^ {4}\d{6}$/m)

      await assertAlive(service, person)
      assertSucceeded(await tryLogIn(service, person.email, PASSWORD))
      assert.ok((await eventTypes(service, person)).includes('password.reset-requested'))
    })

    it('gives the same response for an unknown, an unverified, a verified and a password-less account', async () => {
      const unknown = newEmail()
      const { email: unverified } = await register(service)
      const { email: verified } = await signUp(service)
      const { email: passwordless } = await signUp(service)
      await removePassword(service, passwordless)
      const asked = []
      for (const email of [unknown, unverified, verified, passwordless]) {
        asked.push({ email, response: await forgot(service, email) })
      }
      for (const { response } of asked) assertSucceeded(response)
      assertAlike(...asked)
      assert.deepEqual(await mailsTo(service, unknown), [])
      for (const email of [unverified, verified, passwordless]) {
        assert.equal((await mailsTo(service, email))[0]?.subject, 'Reset your password - Portico')
      }
    })

    it('invalidates the previous code', async () => {
      const { email } = await signUp(service)
      const older = await newResetCode(service, email)
      const newer = await newResetCode(service, email)
      assertRefused(await reset(service, email, older), 400, 'Invalid or expired reset token')
      assertSucceeded(await tryLogIn(service, email, PASSWORD))
      assertSucceeded(await reset(service, email, newer))
    })

    it('does not affect the codes of other accounts', async () => {
      const [asking, other] = [await signUp(service), await signUp(service)]
      const code = await newResetCode(service, other.email)
      await newResetCode(service, asking.email)
      assertSucceeded(await reset(service, other.email, code))
    })

    it('accepts the address with surrounding blanks and in any case', async () => {
      const { email } = await signUp(service)
      assertSucceeded(await forgot(service, ` ${email.toUpperCase()} `))
      assert.equal((await mailsTo(service, email)).length, 2)
    })

    for (const email of [undefined, null, '', 'nobody', 7, ['a@example.com'], 'a@example.com,b@example.com']) {
      it(`refuses ${JSON.stringify(email)} as an address`, async () => {
        const response = await post(service, '/api/forgot-password', { email })
        assertRefused(response, 400, 'Validation failed')
        assert.deepEqual(Object.keys(fieldsOf(response)), ['email'])
      })
    }
  })
})

const forgot = (service: Service, email: string) => post(service, '/api/forgot-password', { email })
