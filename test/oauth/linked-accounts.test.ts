import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertAlive, assertNow, linkedAccounts, linkedProviders, NEW_PASSWORD, unlink } from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  del,
  eventTypes,
  fieldsOf,
  get,
  mailsTo,
  newEmail,
  type Person,
  post,
  signUp,
} from '../support/api.ts'
import { PROVIDER_NAMES, withProviders } from '../support/providers.ts'
import { assertNoSignIn, signedIn, signIn } from '../support/sign-in-steps.ts'

const NOT_LINKED = 'Linked account not found'
const WAS_UNLINKED = 'This sign-in was removed from its account: log in another way and connect it again'
const LAST_WAY_IN = 'Cannot unlink the only way to sign in: set a password first'

describe('linked accounts', () => {
  withProviders((service, providers) => {
    /** A user without a password who signs in with both providers. */
    async function someoneWithBoth() {
      const email = newEmail()
      const subjects = {
        codehost: providers.codehost.people.admit({ email }),
        idp: providers.idp.people.admit({ email }),
      }
      const person = await signedIn(service, providers.codehost, subjects.codehost)
      await signedIn(service, providers.idp, subjects.idp)
      return { person, subjects }
    }

    const setPassword = async (as: Person) => {
      const body = { newPassword: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }
      assertSucceeded(await post(service, '/api/change-password', body, { as }))
    }

    it('are listed with the provider, the name there and the time', async () => {
      const { person, subjects } = await someoneWithBoth()
      const listed = await linkedAccounts(service, person)
      assert.deepEqual(
        listed.map(({ linkedAt: _, ...link }) => link),
        PROVIDER_NAMES.map((provider) => ({
          provider,
          username: providers[provider].people.get(subjects[provider]).username,
        })),
      )
      for (const { linkedAt } of listed) assertNow(linkedAt)
      const bystander = await signUp(service)
      assert.deepEqual(await linkedAccounts(service, bystander), [])
    })

    it('are listed for their owner only', async () => {
      assertRefused(await get(service, '/api/linked-accounts'), 401)
      assertRefused(await unlink(service, 'idp'), 401)
    })

    for (const name of PROVIDER_NAMES) {
      const other = name === 'idp' ? 'codehost' : 'idp'

      it(`can lose the ${name} when the ${other} is left`, async () => {
        const { person } = await someoneWithBoth()
        const { person: bystander } = await someoneWithBoth()
        const response = await unlink(service, name, person)
        assertSucceeded(response)
        assert.deepEqual(response.body.data, { provider: name })
        assert.deepEqual(await linkedProviders(service, person), [other])
        assert.equal((await eventTypes(service, person))[0], 'sign-in.unlinked')
        const [mail] = await mailsTo(service, person.email)
        assert.equal(mail?.subject, `Sign-in with ${new URL(providers[name].url).host} was removed - Portico`)
        await assertAlive(service, person)
        assert.deepEqual(await linkedProviders(service, bystander), ['codehost', 'idp'])
      })

      it(`cannot lose the ${name} when it is the only sign-in method`, async () => {
        const person = await signedIn(service, providers[name], providers[name].people.admit())
        const before = await eventTypes(service, person)
        assertRefused(await unlink(service, name, person), 400, LAST_WAY_IN)
        assert.deepEqual(await linkedProviders(service, person), [name])
        assert.deepEqual(await eventTypes(service, person), before)
        assert.deepEqual(await mailsTo(service, person.email), [])
      })

      it(`can lose the ${name} when there is a password`, async () => {
        const person = await signedIn(service, providers[name], providers[name].people.admit())
        await setPassword(person)
        assertSucceeded(await unlink(service, name, person))
        assert.deepEqual(await linkedAccounts(service, person), [])
        assertSucceeded(await post(service, '/api/log-in', { email: person.email, password: NEW_PASSWORD }))
      })

      it(`do not include the ${name} when it was never linked, or is not any more`, async () => {
        const person = await signedIn(service, providers[other], providers[other].people.admit())
        assertRefused(await unlink(service, name, person), 404, NOT_LINKED)
        assert.deepEqual(await linkedProviders(service, person), [other])
        const { person: second } = await someoneWithBoth()
        assertSucceeded(await unlink(service, name, second))
        assertRefused(await unlink(service, name, second), 404, NOT_LINKED)
      })

      it(`refuse the ${name} after it was unlinked, whatever its e-mail address`, async () => {
        const { person, subjects } = await someoneWithBoth()
        assertSucceeded(await unlink(service, name, person))
        for (const change of [{}, { email: newEmail() }]) {
          providers[name].people.change(subjects[name], change)
          await assertNoSignIn(service, async () => {
            assertRefused(await signIn(service, providers[name], subjects[name]), 403, WAS_UNLINKED)
          })
        }
        assert.deepEqual(await linkedProviders(service, person), [other])
      })

      it(`accept another identity of the ${name} with the same verified address`, async () => {
        const { person } = await someoneWithBoth()
        assertSucceeded(await unlink(service, name, person))
        const another = providers[name].people.admit({ email: person.email })
        assert.equal((await signedIn(service, providers[name], another)).userId, person.userId)
      })

      it(`release an unlinked ${name} when the account is deleted`, async () => {
        const { person, subjects } = await someoneWithBoth()
        assertSucceeded(await unlink(service, name, person))
        assertSucceeded(await del(service, '/api/delete-user', undefined, { as: person }))
        const again = await signedIn(service, providers[name], subjects[name])
        assert.notEqual(again.userId, person.userId)
      })
    }

    it('are unlinked by the name of a provider only', async () => {
      const { person } = await someoneWithBoth()
      for (const provider of [undefined, null, '', 'email', 'IDP', 'github', 7, ['idp'], { $ne: 1 }]) {
        const response = await unlink(service, provider, person)
        assertRefused(response, 400, 'Validation failed')
        assert.ok('provider' in fieldsOf(response))
      }
      assertRefused(await del(service, '/api/linked-accounts', undefined, { as: person }), 400)
      assert.deepEqual(await linkedProviders(service, person), ['codehost', 'idp'])
    })
  })
})
