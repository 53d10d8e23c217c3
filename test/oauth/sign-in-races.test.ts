import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lockUser } from '../../src/sessions/lock-user.ts'
import {
  countAccounts,
  countSessions,
  linkedProviders,
  ownProfile,
  someone,
  tryLogIn,
  verify,
} from '../support/accounts.ts'
import { assertRefused, assertSucceeded, codeFor, mailsTo, newEmail, post, registration } from '../support/api.ts'
import { runOverlapping } from '../support/concurrency.ts'
import { PROVIDER_NAMES, visitProvider, withProviders } from '../support/providers.ts'
import { begin, reachCallback, signedIn, visit } from '../support/sign-in-steps.ts'

const ATTACKER = { firstName: 'Mallory', lastName: 'Malicious' }

// Each test has two concurrent transactions on one account. The second waits for the first and then has to read again.
describe('a first sign-in', () => {
  withProviders((service, providers, engine) => {
    for (const name of PROVIDER_NAMES) {
      const provider = () => providers[name]

      /** A callback that is ready to be opened. */
      async function prepareCallback(email: string) {
        const subject = provider().people.admit({ email })
        const { callback, cookie } = await reachCallback(service, provider(), subject)
        return { subject, follow: () => visit(service, callback, { cookie }) }
      }

      it(`with the ${name} links nothing to an account that is registered concurrently`, async (t) => {
        const body = registration({ ...ATTACKER })
        const { email } = body
        const { follow, subject } = await prepareCallback(email)
        const [registered, response] = await runOverlapping(
          t,
          { service, engine },
          () => post(service, '/api/create-account', body),
          follow,
        )
        assertSucceeded(registered, 201)
        assertSucceeded(response)
        const code = await codeFor(service, email)
        assertRefused(await tryLogIn(service, email, body.password), 401, 'Invalid email or password')
        assertRefused(await verify(service, email, code), 400)
        assert.equal(await countAccounts(service, email), 1)
        const owner = await signedIn(service, provider(), subject)
        assert.equal(owner.userId, response.body.data.user.userId)
        const { firstName, hasPassword } = await ownProfile(service, owner)
        assert.deepEqual({ firstName, hasPassword }, { firstName: 'Ada', hasPassword: false })
        assert.notEqual((await service.portico.store.findByEmail(email))?.email_verified_at, null)
      })

      it(`with the ${name} gets the address before a concurrent registration`, async (t) => {
        const body = registration({ ...ATTACKER })
        const { follow } = await prepareCallback(body.email)
        const [response, registered] = await runOverlapping(t, { service, engine }, follow, () =>
          post(service, '/api/create-account', body),
        )
        assertSucceeded(response)
        assertRefused(registered, 409, 'Email already registered')
        assert.equal(await countAccounts(service, body.email), 1)
        assert.deepEqual(await mailsTo(service, body.email), [])
        assertRefused(await tryLogIn(service, body.email, body.password), 401, 'Invalid email or password')
      })

      it(`with the ${name} is linked to an account that is verified concurrently`, async (t) => {
        const body = registration()
        const { email, password } = body
        assertSucceeded(await post(service, '/api/create-account', body), 201)
        const code = await codeFor(service, email)
        const { follow } = await prepareCallback(email)
        const [verified, response] = await runOverlapping(
          t,
          { service, engine },
          () => verify(service, email, code),
          follow,
        )
        assertSucceeded(verified)
        assertSucceeded(response)
        assert.equal(response.body.data.user.userId, verified.body.data.user.userId)
        assertSucceeded(await tryLogIn(service, email, password))
        const subjects = (await mailsTo(service, email)).map(({ subject }) => subject)
        assert.equal(subjects.filter((subject) => subject.startsWith('You can now')).length, 1)
      })

      it(`with the ${name} creates a new account when the one with its address is deleted concurrently`, async (t) => {
        const former = await someone(service)
        const { follow } = await prepareCallback(former.email)
        const [, response] = await runOverlapping(
          t,
          { service, engine },
          // The row is locked at first, and deleted when the other transaction has found it.
          async (tx) => void (await lockUser(tx, { id: former.userId })),
          follow,
          (tx) => tx.deleteFrom('users').where('id', '=', former.userId).execute(),
        )
        assertSucceeded(response)
        assert.notEqual(response.body.data.user.userId, former.userId)
        assert.equal(await countAccounts(service, former.email), 1)
        assert.equal(await countSessions(service, former.userId), 0)
      })
    }
  })
})

describe('a sign-in with two callbacks', () => {
  withProviders((service, providers) => {
    for (const name of PROVIDER_NAMES) {
      // With the same code the provider would refuse the second.
      it(`from the ${name} at once, with a code each, is finished once`, async () => {
        const subject = providers[name].people.admit({ email: newEmail() })
        const { authorizationUrl, cookie } = await begin(service, providers[name])
        const callbacks = [1, 2, 3, 4].map(() => visitProvider(authorizationUrl, subject))
        const ready = await Promise.all(callbacks)
        assert.equal(new Set(ready).size, ready.length)
        const responses = await Promise.all(ready.map((callback) => visit(service, callback, { cookie })))
        const refused = responses.filter(({ status }) => status !== 200)
        assert.equal(refused.length, ready.length - 1)
        for (const response of refused) {
          assertRefused(response, 400, 'This sign-in is unknown, finished or expired: please start again')
        }
      })
    }
  })
})

describe('a sign-in with a linked identity', () => {
  withProviders((service, providers, engine) => {
    for (const name of PROVIDER_NAMES) {
      /** A user whose account has another address than the provider's, and a callback that is ready. */
      async function linkedPerson() {
        const subject = providers[name].people.admit({ email: newEmail() })
        const person = await signedIn(service, providers[name], subject)
        const { database } = service.portico
        await database.query.updateTable('users').set({ email: newEmail() }).where('id', '=', person.userId).execute()
        const { callback, cookie } = await reachCallback(service, providers[name], subject)
        return { person, follow: () => visit(service, callback, { cookie }) }
      }

      it(`with the ${name} does not sign in to the account when the link is removed concurrently`, async (t) => {
        const { person, follow } = await linkedPerson()
        const sessions = await countSessions(service, person.userId)
        const [, response] = await runOverlapping(
          t,
          { service, engine },
          async (tx) => {
            await lockUser(tx, { id: person.userId })
            await tx.deleteFrom('linked_accounts').where('user_id', '=', person.userId).execute()
          },
          follow,
        )
        if (response.status === 200) assert.notEqual(response.body.data.user.userId, person.userId)
        assert.equal(await countSessions(service, person.userId), sessions)
        assert.deepEqual(await linkedProviders(service, person), [])
      })

      it(`with the ${name} begins no session of an account that is deleted concurrently`, async (t) => {
        const { person, follow } = await linkedPerson()
        const [, response] = await runOverlapping(
          t,
          { service, engine },
          async (tx) => void (await tx.deleteFrom('users').where('id', '=', person.userId).execute()),
          follow,
        )
        assertSucceeded(response)
        assert.notEqual(response.body.data.user.userId, person.userId)
        assert.equal(await countSessions(service, person.userId), 0)
      })
    }
  })
})
