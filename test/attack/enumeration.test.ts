import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertAlike, countSessions, NEW_PASSWORD, register, tryLogIn } from '../support/accounts.ts'
import { assertRefused, mailsTo, PASSWORD, post } from '../support/api.ts'
import { addressesOfEachKind, from, LIMITED, newAddress, WRONG_PASSWORD } from '../support/rate-limits.ts'
import { onBothEngines } from '../support/service.ts'

const NEW = { password: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }
const OPERATIONS: [path: string, body: object][] = [
  ['/api/log-in', { password: WRONG_PASSWORD }],
  ['/api/forgot-password', {}],
  ['/api/email-verification/resend', {}],
  ['/api/email-verification', { verificationCode: 'no-code' }],
  ['/api/log-in/code', {}],
  ['/api/log-in/code/verify', { code: 'no-code' }],
  ['/api/reset-password', { resetToken: 'no-code', ...NEW }],
]

describe('the existence of an account is not disclosed', () => {
  onBothEngines((service) => {
    for (const [path, body] of OPERATIONS) {
      it(`by the responses of ${path}, nor by their rate-limit headers`, async () => {
        const asked = []
        for (const email of Object.values(await addressesOfEachKind(service))) {
          // Each from another address, because the headers count the calls of an address.
          asked.push({ email, response: await post(service, path, { email, ...body }, from(newAddress())) })
        }
        assert.equal(asked.length, 4)
        assert.match(asked[0]?.response.headers.get('ratelimit') ?? '', /^"api";r=99;t=60(, |$)/)
        assertAlike(...asked)
      })
    }
  }, LIMITED)
})

describe('an attacker', () => {
  onBothEngines((service) => {
    it('learns that an account is unverified only with its password', async () => {
      const { email, userId } = await register(service)
      assertRefused(await tryLogIn(service, email, WRONG_PASSWORD), 401, 'Invalid email or password')
      assertRefused(await tryLogIn(service, email, PASSWORD), 403, 'Please verify your email before logging in')
      assert.equal(await countSessions(service, userId), 0)
    })

    it('neither signs in nor causes mail by a wrong log-in', async () => {
      const { unverified, verified, 'password-less': passwordless } = await addressesOfEachKind(service)
      for (const [email, mails] of [
        [unverified, 1],
        [verified, 0],
        [passwordless, 0],
      ] as const) {
        assertRefused(await tryLogIn(service, email, WRONG_PASSWORD), 401, 'Invalid email or password')
        assert.equal((await mailsTo(service, email)).length, mails)
      }
    })
  })
})
