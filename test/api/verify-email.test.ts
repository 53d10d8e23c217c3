import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  assertAlive,
  countSessions,
  newVerificationCode,
  otherThan,
  register,
  tryLogIn,
  tryRefresh,
  verify,
} from '../support/accounts.ts'
import { assertRefused, assertSucceeded, eventTypes, fieldsOf, mailsTo, post, signUp } from '../support/api.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const REFUSAL = 'Invalid or expired verification code'

describe('email-verification', () => {
  onBothEngines((service) => {
    it('verifies the account and signs in', async () => {
      const { email, password, userId, code } = await register(service)
      const response = await verify(service, email, code)
      assertSucceeded(response)
      const { accessToken, refreshToken, session, user, ...rest } = response.body.data
      assert.deepEqual(rest, {})
      const stored = await service.portico.store.findByEmail(email)
      const username = stored?.username
      assert.deepEqual(user, { userId, email, firstName: 'Grace', lastName: 'Hopper', username })

      assert.notEqual(stored?.email_verified_at, null)
      const person = { email, password, userId, accessToken, refreshToken, sessionId: session.sessionId }
      await assertAlive(service, person)
      assertSucceeded(await tryRefresh(service, person))
      assertSucceeded(await tryLogIn(service, email, password))
    })

    it('returns only the id of the session', async () => {
      const { email, code } = await register(service)
      const { body } = await verify(service, email, code)
      assert.deepEqual(Object.keys(body.data.session), ['sessionId'])
    })

    it('sends no further mail: the first sign-in is no new device', async () => {
      const { email, code } = await register(service)
      assertSucceeded(await verify(service, email, code))
      assert.equal((await mailsTo(service, email)).length, 1)
    })

    it('adds security events, newest first', async () => {
      const people = await Promise.all([1, 2, 3, 4, 5, 6].map(() => signUp(service)))
      for (const person of people) {
        assert.deepEqual(await eventTypes(service, person), ['session.started', 'email.verified', 'account.created'])
      }
    })

    it('accepts the address in any case and the code with surrounding blanks', async () => {
      const { email, code } = await register(service)
      assertSucceeded(await verify(service, ` ${email.toUpperCase()} `, ` ${code} `))
    })

    it('refuses a wrong code, leaves the account unverified and starts no session', async () => {
      const account = await register(service)
      assertRefused(await verify(service, account.email, otherThan(account.code)), 400, REFUSAL)
      await assertUnverified(service, account)
      assertSucceeded(await verify(service, account.email, account.code))
    })

    it('refuses the code after ten minutes, and not before', async () => {
      const [late, inTime] = [await register(service), await register(service)]
      await service.advanceTime({ minutes: 9, seconds: 50 })
      assertSucceeded(await verify(service, inTime.email, inTime.code))
      await service.advanceTime({ seconds: 10 })
      assertRefused(await verify(service, late.email, late.code), 400, REFUSAL)
      await assertUnverified(service, late)
    })

    it('refuses an older code after a resend', async () => {
      const account = await register(service)
      const newer = await newVerificationCode(service, account.email)
      assertRefused(await verify(service, account.email, account.code), 400, REFUSAL)
      await assertUnverified(service, account)
      assertSucceeded(await verify(service, account.email, newer))
    })

    it('reports every missing field', async () => {
      const response = await post(service, '/api/email-verification', {})
      assertRefused(response, 400, 'Validation failed')
      assert.deepEqual(Object.keys(fieldsOf(response)).sort(), ['email', 'verificationCode'])
    })

    const faulty: [string, unknown][] = [
      ['a number', 123456],
      ['null', null],
      ['a list', ['123456']],
      ['an object', { $ne: 1 }],
      ['an empty text', '  '],
    ]
    for (const [what, verificationCode] of faulty) {
      it(`refuses ${what} as a code, and counts no try`, async () => {
        const { email, code } = await register(service)
        for (let round = 0; round < 6; round++) {
          const response = await post(service, '/api/email-verification', { email, verificationCode })
          assertRefused(response, 400, 'Validation failed')
          assert.deepEqual(Object.keys(fieldsOf(response)), ['verificationCode'])
        }
        assertSucceeded(await verify(service, email, code))
      })
    }
  })
})

async function assertUnverified(service: Service, { email, password, userId }: Awaited<ReturnType<typeof register>>) {
  assertRefused(await tryLogIn(service, email, password), 403, 'Please verify your email before logging in')
  assert.equal(await countSessions(service, userId), 0)
}
