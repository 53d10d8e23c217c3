import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ownProfile } from '../support/accounts.ts'
import { assertSucceeded } from '../support/api.ts'
import { startFaultyOpenIdProvider } from '../support/faulty-openid-provider.ts'
import { startOpenIdProvider } from '../support/openid-provider.ts'
import { besideServices } from '../support/providers.ts'
import { reachCallback, signedIn, visit } from '../support/sign-in-steps.ts'

const HABITS = {
  'sends the claims of a user only in the UserInfo response': { claimsIn: 'UserInfo' },
  'accepts the client secret only in the Authorization header': { authMethod: 'client_secret_basic' },
} as const

for (const [what, habits] of Object.entries(HABITS)) {
  describe(`an OpenID provider that ${what}`, () => {
    const startAll = async () => ({ idp: await startOpenIdProvider(habits) })
    besideServices(startAll, (service, providers) => {
      it('signs users in', async () => {
        const subject = providers.idp.people.admit()
        const { email, firstName, lastName, username, avatar } = providers.idp.people.get(subject)
        const profile = await ownProfile(service, await signedIn(service, providers.idp, subject))
        assert.deepEqual(profile, { ...profile, email, firstName, lastName, username, avatar, authMethod: 'idp' })
      })
    })
  })
}

describe('an OpenID provider whose codes are full of punctuation', () => {
  const startAll = async () => ({ idp: await startFaultyOpenIdProvider() })
  besideServices(startAll, (service, providers) => {
    for (const mark of ['%3F', '?']) {
      it(`signs users in with a question mark sent as ${mark}`, async () => {
        const { callback, cookie } = await reachCallback(service, providers.idp, providers.idp.people.admit())
        assert.ok(callback.includes('%3F'))
        assertSucceeded(await visit(service, callback.replace('%3F', mark), { cookie }))
      })
    }
  })
})
