import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countAccounts, countSessions, linkedAccounts, linkedProviders, unlink } from '../support/accounts.ts'
import {
  type ApiResponse,
  assertHandled,
  assertRefused,
  assertSucceeded,
  del,
  eventTypes,
  mailsTo,
  newEmail,
  signUp,
} from '../support/api.ts'
import { PROVIDER_NAMES, withProviders } from '../support/providers.ts'
import { reachCallback, signedIn, visit } from '../support/sign-in-steps.ts'

function atOnce<T>(count: number, run: (number: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, number) => run(number)))
}

/** This many callbacks of a provider, all ready to be opened. */
async function manyCallbacks(count: number, back: () => ReturnType<typeof reachCallback>) {
  const ready: Awaited<ReturnType<typeof reachCallback>>[] = []
  while (ready.length < count) ready.push(await back())
  return ready
}

describe('concurrently', () => {
  withProviders((service, providers) => {
    const follow = (ready: { callback: string; cookie: string } | undefined): Promise<ApiResponse> =>
      visit(service, ready?.callback ?? '', { cookie: ready?.cookie })

    for (const name of PROVIDER_NAMES) {
      const admit = (email = newEmail()) => providers[name].people.admit({ email })

      for (const count of [2, 16]) {
        it(`one of ${count} callbacks of the ${name} with the same state signs in`, async () => {
          const email = newEmail()
          const { callback, cookie } = await reachCallback(service, providers[name], admit(email))
          const responses = await atOnce(count, () => visit(service, callback, { cookie }))
          const [winner, ...others] = responses.filter(({ status }) => status === 200)
          assert.ok(winner)
          assert.deepEqual(others, [])
          for (const response of responses)
            response === winner ? assertSucceeded(response) : assertRefused(response, 400)
          assert.equal(await countSessions(service, winner.body.data.user.userId), 1)
          assert.equal(await countAccounts(service, email), 1)
        })
      }

      it(`sixteen first sign-ins of one user with the ${name} create one account, and send no notice`, async () => {
        const email = newEmail()
        const subject = admit(email)
        const ready = await manyCallbacks(16, () => reachCallback(service, providers[name], subject))
        const responses = await atOnce(16, (number) => follow(ready[number]))
        for (const response of responses) assertSucceeded(response)
        assert.equal(new Set(responses.map(({ body }) => body.data.user.userId)).size, 1)
        const person = await signedIn(service, providers[name], subject)
        assert.equal((await linkedAccounts(service, person)).length, 1)
        const types = await eventTypes(service, person)
        assert.equal(types.filter((type) => type === 'account.created').length, 1)
        assert.equal(types.filter((type) => type === 'sign-in.linked').length, 1)
        assert.deepEqual(await mailsTo(service, email), [])
      })

      it(`sixteen first sign-ins with the ${name} to one existing account add one link and one notice`, async () => {
        const owner = await signUp(service)
        const subject = admit(owner.email)
        const ready = await manyCallbacks(16, () => reachCallback(service, providers[name], subject))
        for (const response of await atOnce(16, (number) => follow(ready[number]))) {
          assertSucceeded(response)
          assert.equal(response.body.data.user.userId, owner.userId)
        }
        assert.equal((await linkedAccounts(service, owner)).length, 1)
        const news = (await mailsTo(service, owner.email)).filter(({ subject }) => subject.startsWith('You can now'))
        assert.equal(news.length, 1)
      })

      it(`sixteen users of the same username at the ${name} get sixteen usernames`, async () => {
        const ready = await manyCallbacks(16, () => {
          const subject = providers[name].people.admit({ email: newEmail(), username: `same-${name}` })
          return reachCallback(service, providers[name], subject)
        })
        const responses = await atOnce(16, (number) => follow(ready[number]))
        for (const response of responses) assertSucceeded(response)
        const usernames = responses.map(({ body }) => body.data.user.username)
        assert.equal(new Set(usernames).size, 16)
        assert.ok(usernames.includes(`same-${name}`))
      })

      it(`a sign-in with the ${name} and the deletion of its account leave no session without an account`, async () => {
        for (let round = 0; round < 12; round++) {
          const subject = admit()
          const person = await signedIn(service, providers[name], subject)
          const ready = await manyCallbacks(4, () => reachCallback(service, providers[name], subject))
          const responses = await Promise.all([
            ...ready.map(follow),
            del(service, '/api/delete-user', undefined, { as: person }),
          ])
          // Each happened before the deletion, or after it with a new account.
          for (const response of responses) assertSucceeded(response)
          assert.equal(await countSessions(service, person.userId), 0)
        }
      })
    }

    it('16 requests that unlink both providers of one account leave one of them', async () => {
      const email = newEmail()
      const person = await signedIn(service, providers.codehost, providers.codehost.people.admit({ email }))
      await signedIn(service, providers.idp, providers.idp.people.admit({ email }))
      const responses = await atOnce(16, (number) => unlink(service, PROVIDER_NAMES[number % 2], person))
      assert.equal(responses.filter(({ status }) => status === 200).length, 1)
      for (const response of responses) assertHandled(response, [200, 400, 404])
      assert.equal((await linkedProviders(service, person)).length, 1)
      assert.equal((await eventTypes(service, person)).filter((type) => type === 'sign-in.unlinked').length, 1)
      assert.equal((await mailsTo(service, email)).filter(({ subject }) => subject.includes(' was removed ')).length, 1)
    })
  })
})
