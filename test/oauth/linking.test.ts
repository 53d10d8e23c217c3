import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  assertAlive,
  countAccounts,
  linkedAccounts,
  linkedProviders,
  listedSession,
  ownProfile,
} from '../support/accounts.ts'
import { assertRefused, eventTypes, logIn, mailsTo, newEmail, signUp } from '../support/api.ts'
import { startOpenIdProvider } from '../support/openid-provider.ts'
import { PROVIDER_NAMES, withProviders } from '../support/providers.ts'
import { freshDatabase, startOn } from '../support/service.ts'
import { assertNoSignIn, signedIn, signIn } from '../support/sign-in-steps.ts'

describe('an identity at a provider', () => {
  withProviders((service, providers, engine) => {
    for (const name of PROVIDER_NAMES) {
      const other = name === 'idp' ? 'codehost' : 'idp'

      it(`of the ${name} finds its account again, and begins a session each time`, async () => {
        const subject = providers[name].people.admit()
        const first = await signedIn(service, providers[name], subject)
        const second = await signedIn(service, providers[name], subject)
        assert.equal(second.userId, first.userId)
        assert.notEqual(second.sessionId, first.sessionId)
        await assertAlive(service, first)
        assert.deepEqual(await linkedProviders(service, second), [name])
        assert.deepEqual(await eventTypes(service, second), [
          'session.started',
          'session.started',
          'sign-in.linked',
          'account.created',
        ])
        assert.deepEqual(await mailsTo(service, first.email), [])
      })

      it(`of the ${name} is linked with the account of its verified address, and the owner is notified`, async () => {
        const owner = await signUp(service)
        const profile = await ownProfile(service, owner)
        const bystander = await signUp(service)
        const subject = providers[name].people.admit({ email: owner.email })
        const person = await signedIn(service, providers[name], subject)
        assert.equal(person.userId, owner.userId)
        assert.deepEqual(await ownProfile(service, person), profile)
        assert.deepEqual(await linkedProviders(service, person), [name])

        await assertAlive(service, owner)
        await logIn(service, owner)
        assert.deepEqual((await eventTypes(service, person)).slice(1, 3), ['session.started', 'sign-in.linked'])
        const session = await listedSession(service, owner, person)
        assert.deepEqual(session, { ...session, authMethod: name, revokedAt: null })

        const [notice, ...earlier] = await mailsTo(service, owner.email)
        assert.equal(notice?.subject, `You can now sign in with ${new URL(providers[name].url).host} - Portico`)
        assert.equal(earlier.length, 1)
        await signedIn(service, providers[name], subject)
        assert.equal((await mailsTo(service, owner.email)).length, 2)
        assert.deepEqual(await linkedAccounts(service, bystander), [])
      })

      it(`of the ${name} and one of the ${other} with the same address lead to one account`, async () => {
        const email = newEmail()
        const first = await signedIn(service, providers[name], providers[name].people.admit({ email }))
        const second = await signedIn(service, providers[other], providers[other].people.admit({ email }))
        assert.equal(second.userId, first.userId)
        assert.deepEqual(await linkedProviders(service, first), ['codehost', 'idp'])
        const profile = await ownProfile(service, second)
        assert.deepEqual([profile.authMethod, profile.hasPassword], [name, false])
        const subjects = (await mailsTo(service, email)).map(({ subject }) => subject)
        assert.deepEqual(subjects, [`You can now sign in with ${new URL(providers[other].url).host} - Portico`])
      })

      it(`of the ${name} keeps its account when its address changes, is unverified or is missing`, async () => {
        const subject = providers[name].people.admit()
        const { userId, email } = await signedIn(service, providers[name], subject)
        const owner = await signUp(service)
        const changes = [{ email: newEmail() }, { email: owner.email }, { verified: false }, { email: undefined }]
        for (const change of changes) {
          providers[name].people.change(subject, change)
          const person = await signedIn(service, providers[name], subject)
          assert.deepEqual([person.userId, person.email], [userId, email])
        }
        assert.deepEqual(await linkedAccounts(service, owner), [])
        assert.equal((await mailsTo(service, owner.email)).length, 1)
      })

      it(`of the ${name} shares its account with another one that has the same address`, async () => {
        const first = await signedIn(service, providers[name], providers[name].people.admit())
        const another = providers[name].people.admit({ email: first.email })
        const person = await signedIn(service, providers[name], another)
        assert.equal(person.userId, first.userId)
        assert.equal((await linkedAccounts(service, person)).length, 2)
      })

      it(`of the ${name} is linked whatever the case and surrounding space of its address`, async () => {
        const owner = await signUp(service)
        const email = ` ${owner.email.toUpperCase()} `
        const person = await signedIn(service, providers[name], providers[name].people.admit({ email }))
        assert.equal(person.userId, owner.userId)
        const newcomer = await signedIn(
          service,
          providers[name],
          providers[name].people.admit({ email: `Ada-New-${name}@Example.COM` }),
        )
        assert.equal(newcomer.email, `ada-new-${name}@example.com`)
      })

      it(`of the ${name} is not linked by an address that becomes the same only in lower case`, async () => {
        const owner = await signUp(service, { email: `mike-${name}@example.com` })
        // The Kelvin sign: its lower case is k, but it is another mailbox.
        const subject = providers[name].people.admit({ email: `mi\u212Ae-${name}@example.com` })
        await assertNoSignIn(service, async () => assertRefused(await signIn(service, providers[name], subject), 400))
        assert.deepEqual(await linkedAccounts(service, owner), [])
      })

      it(`of the ${name} is not linked by an address that is not verified`, async () => {
        const owner = await signUp(service)
        const subject = providers[name].people.admit({ email: owner.email, verified: false })
        await assertNoSignIn(service, async () => assertRefused(await signIn(service, providers[name], subject), 400))
        assert.equal(await countAccounts(service, owner.email), 1)
      })
    }

    it('is another user than the same subject at another provider', async () => {
      const subject = '4242'
      providers.codehost.people.admit({ email: newEmail() }, subject)
      providers.idp.people.admit({ email: newEmail() }, subject)
      const first = await signedIn(service, providers.codehost, subject)
      const second = await signedIn(service, providers.idp, subject)
      assert.notEqual(second.userId, first.userId)
    })

    it('is another user than the same subject at another issuer, when the provider has been replaced', async () => {
      const database = await freshDatabase(engine)
      const replacement = await startOpenIdProvider()
      const subject = 'subject-of-both'
      const ids = []
      for (const provider of [providers.idp, replacement, providers.idp]) {
        const instance = await startOn({ ...database.env, ...provider.settings })
        provider.people.admit({ email: `${new URL(provider.url).port}@example.com` }, subject)
        ids.push((await signedIn(instance, provider, subject)).userId)
        await instance.close()
      }
      await replacement.close()
      await database.drop()
      assert.equal(ids[2], ids[0])
      assert.notEqual(ids[1], ids[0])
    })
  })
})
