import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countSessions, NEW_PASSWORD, unlink } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, post } from '../support/api.ts'
import { PROVIDER_NAMES, withProviders } from '../support/providers.ts'
import { addApp, appCode, challengeOf, passSecondStep } from '../support/second-factor.ts'
import { signedIn, signIn } from '../support/sign-in-steps.ts'

describe('an attacker with the second factor, and a first factor that the owner takes away', () => {
  withProviders((service, providers) => {
    for (const name of PROVIDER_NAMES) {
      it(`does not finish a sign-in that began with the ${name} before the owner has removed it`, async () => {
        const subject = providers[name].people.admit()
        const person = await signedIn(service, providers[name], subject)
        const passwords = { newPassword: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }
        assertSucceeded(await post(service, '/api/change-password', passwords, { as: person }))
        const owner = await addApp(service, person)
        const challenge = challengeOf(await signIn(service, providers[name], subject))
        assertSucceeded(await unlink(service, name, owner))
        const before = await countSessions(service, owner.userId)
        assertRefused(
          await passSecondStep(service, challenge, { code: appCode(owner.secret) }),
          400,
          'This sign-in has expired: please log in again',
        )
        assert.equal(await countSessions(service, owner.userId), before)
      })
    }
  })
})
