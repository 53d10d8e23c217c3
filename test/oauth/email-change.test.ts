import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countAccounts, linkedProviders } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, newEmail, signUp } from '../support/api.ts'
import { changeEmail, emailOf, undoChange } from '../support/email-changes.ts'
import { PROVIDER_NAMES, withProviders } from '../support/providers.ts'
import { reachCallback, signedIn, visit } from '../support/sign-in-steps.ts'

describe('a change of the e-mail address', () => {
  withProviders((service, providers) => {
    for (const name of PROVIDER_NAMES) {
      it(`keeps the ${name} linked, which signs in to the account whatever its address is`, async () => {
        const email = newEmail()
        const subject = providers[name].people.admit({ email })
        const person = await signedIn(service, providers[name], subject)
        const { newEmail: to } = await changeEmail(service, { ...person, email })
        const again = await signedIn(service, providers[name], subject)
        assert.equal(again.userId, person.userId)
        assert.equal(await emailOf(service, person.userId), to)
        assert.equal(await countAccounts(service, email), 0)
      })

      it(`lets no identity at the ${name} get the former address while the change can be undone`, async () => {
        const person = await signUp(service)
        const { undoToken } = await changeEmail(service, person)
        const subject = providers[name].people.admit({ email: person.email })
        const { callback, cookie } = await reachCallback(service, providers[name], subject)
        const refused = await visit(service, callback, { cookie })
        assertRefused(refused, 409)
        assert.equal(refused.body.code, 'email_reserved')
        assert.equal(await countAccounts(service, person.email), 0)
        assertSucceeded(await undoChange(service, undoToken))
        const owner = await signedIn(service, providers[name], subject)
        assert.equal(owner.userId, person.userId)
        assert.deepEqual(await linkedProviders(service, owner), [name])
      })
    }
  })
})
