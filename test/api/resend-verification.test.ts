import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertAlike, newVerificationCode, register, verify } from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  eventTypes,
  fieldsOf,
  logIn,
  mailsTo,
  newEmail,
  post,
  signUp,
} from '../support/api.ts'
import { onBothEngines, type Service } from '../support/service.ts'

describe('email-verification/resend', () => {
  onBothEngines((service) => {
    it('mails a new code that works, and invalidates the old one', async () => {
      const { email, password, code } = await register(service)
      const newer = await newVerificationCode(service, email)
      assert.equal((await mailsTo(service, email)).length, 2)
      assertRefused(await verify(service, email, code), 400, 'Invalid or expired verification code')
      assertSucceeded(await verify(service, email, newer))
      const events = await eventTypes(service, await logIn(service, { email, password }))
      assert.equal(events.filter((type) => type === 'email.verification-requested').length, 1)
    })

    it('replaces an expired code', async () => {
      const { email } = await register(service)
      await service.advanceTime({ minutes: 10 })
      assertSucceeded(await verify(service, email, await newVerificationCode(service, email)))
    })

    it('allows five new tries', async () => {
      const { email } = await register(service)
      for (let round = 0; round < 5; round++) {
        assertRefused(await verify(service, email, 'wrong'), 400)
      }
      assertSucceeded(await verify(service, email, await newVerificationCode(service, email)))
    })

    it('gives the same response for unknown, unverified and verified addresses, and mails the unverified', async () => {
      const unknown = newEmail()
      const { email: unverified } = await register(service)
      const { email: verified } = await signUp(service)
      const asked = []
      for (const email of [unknown, unverified, verified]) asked.push({ email, response: await resend(service, email) })

      for (const { email, response } of asked) {
        assertSucceeded(response)
        assert.deepEqual(response.body.data, { email })
      }
      assertAlike(...asked)
      assert.equal((await mailsTo(service, unknown)).length, 0)
      assert.equal((await mailsTo(service, unverified)).length, 2)
      assert.equal((await mailsTo(service, verified)).length, 1)
    })

    it('changes nothing in a verified account', async () => {
      const person = await signUp(service)
      assertSucceeded(await resend(service, person.email))
      assert.ok(!(await eventTypes(service, person)).includes('email.verification-requested'))
      const codes = service.portico.database.query.selectFrom('codes').where('user_id', '=', person.userId)
      assert.deepEqual(await codes.selectAll().execute(), [])
    })

    it('does not affect the codes of other accounts', async () => {
      const [asking, other] = [await register(service), await register(service)]
      await newVerificationCode(service, asking.email)
      assertSucceeded(await verify(service, other.email, other.code))
    })

    it('accepts the address with surrounding blanks and in any case', async () => {
      const { email } = await register(service)
      const response = await resend(service, ` ${email.toUpperCase()} `)
      assertSucceeded(response)
      assert.deepEqual(response.body.data, { email })
      assert.equal((await mailsTo(service, email)).length, 2)
    })

    for (const email of [undefined, null, '', 'nobody', 7, ['a@example.com'], 'a@example.com,b@example.com']) {
      it(`refuses ${JSON.stringify(email)} as an address`, async () => {
        const response = await post(service, '/api/email-verification/resend', { email })
        assertRefused(response, 400, 'Validation failed')
        assert.deepEqual(Object.keys(fieldsOf(response)), ['email'])
      })
    }
  })
})

const resend = (service: Service, email: string) => post(service, '/api/email-verification/resend', { email })
