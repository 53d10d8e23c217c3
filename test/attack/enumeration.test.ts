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
  ['/api/reset-password', { resetToken: 'no-code', ...NEW }],
]

describe('who has an account is not told', () => {
  onBothEngines((service) => {
    for (const [path, body] of OPERATIONS) {
      it(`by what ${path} answers, nor by what it says of limits`, async () => {
        const asked = []
        for (const email of Object.values(await addressesOfEachKind(service))) {
          // Each from another address, since an address is told how often it has called.
          asked.push({ email, response: await post(service, path, { email, ...body }, from(newAddress())) })
        }
        assert.equal(asked.length, 4)
        assert.match(asked[0]?.response.headers.get('ratelimit') ?? '', /^"api";r=99;t=60$/)
        assertAlike(...asked)
      })
    }
  }, LIMITED)
})

describe('whose account it is not', () => {
  onBothEngines((service) => {
    it('learns that it is not verified only with its password', async () => {
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
