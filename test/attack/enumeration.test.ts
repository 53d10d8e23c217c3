import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertAlike, countSessions, register, reset, tryLogIn, verify } from '../support/account-steps.ts'
import { addressesOfEachKind } from '../support/address-kinds.ts'
import { type Answer, mailsTo, PASSWORD, post } from '../support/api.ts'
import { assertRefused } from '../support/envelope.ts'
import { LIMITED, WRONG_PASSWORD } from '../support/limited.ts'
import { onBothEngines } from '../support/on-both-engines.ts'
import type { Service } from '../support/service.ts'

type Operation = [what: string, ask: (service: Service, email: string) => Promise<Answer>]
const LOG_IN: Operation = ['log-in', (service, email) => tryLogIn(service, email, WRONG_PASSWORD)]
const FORGOT: Operation = ['forgot-password', (service, email) => post(service, '/api/forgot-password', { email })]
const RESEND: Operation = ['resend', (service, email) => post(service, '/api/email-verification/resend', { email })]
const VERIFY: Operation = ['verification', (service, email) => verify(service, email, 'no-code')]
const RESET: Operation = ['a password reset', (service, email) => reset(service, email, 'no-code')]

describe('who has an account is not told', () => {
  onBothEngines((service) => {
    for (const [what, ask] of [LOG_IN, FORGOT, RESEND, VERIFY, RESET]) {
      it(`by what ${what} answers, also of its limits`, async () => {
        const asked = []
        for (const email of Object.values(await addressesOfEachKind(service))) {
          asked.push({ email, answer: await ask(service, email) })
        }
        assert.equal(asked.length, 4)
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
