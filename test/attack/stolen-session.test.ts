import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  assertAlive,
  everythingStored,
  linkedProviders,
  NEW_PASSWORD,
  otherThan,
  refreshed,
  removePassword,
  someone,
  tryLogIn,
  unlink,
} from '../support/accounts.ts'
import { assertRefused, assertSucceeded, call, codeFor, eventTypes, type Person, post } from '../support/api.ts'
import { PROVIDER_NAMES, withProviders } from '../support/providers.ts'
import { someoneProtected, wrongAppCode } from '../support/second-factor.ts'
import { onBothEngines } from '../support/service.ts'
import { signedIn } from '../support/sign-in-steps.ts'

const PASSWORDS = { newPassword: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }

/** The calls by which a stolen session could keep an account for good, or destroy it. */
const TAKEOVERS: [method: string, path: string, body?: object][] = [
  ['POST', '/api/change-password', PASSWORDS],
  ['DELETE', '/api/delete-user', {}],
  ['POST', '/api/change-email', { newEmail: 'thief@example.com' }],
  ['GET', '/api/user-data'],
  ['POST', '/api/linked-accounts', { provider: 'codehost' }],
  ['POST', '/api/linked-accounts', { provider: 'idp' }],
  ['DELETE', '/api/linked-accounts', { provider: 'codehost' }],
  ['DELETE', '/api/linked-accounts', { provider: 'idp' }],
]

describe('a stolen session of an account that only ever signed in through a provider', () => {
  withProviders((service, providers) => {
    for (const name of PROVIDER_NAMES) {
      /** The session of a person who signed in a while ago, as a thief has it. */
      const stolen = async (): Promise<Person> => {
        const person = await signedIn(service, providers[name], providers[name].people.admit())
        await service.advanceTime({ minutes: 16 })
        return refreshed(service, person)
      }

      it(`can neither take it over nor delete it, with the ${name}`, async () => {
        const thief = await stolen()
        const before = await everythingStored(service)
        for (const [method, path, body] of TAKEOVERS) {
          const response = await call(service, method, path, body, { as: thief })
          assertRefused(response, 403, 'Please prove your identity again')
          assert.deepEqual(response.body.data, { means: ['mailed-code'] })
        }
        assert.deepEqual(await everythingStored(service), before)
        assertRefused(await tryLogIn(service, thief.email, NEW_PASSWORD), 401)
        assert.deepEqual(await linkedProviders(service, thief), [name])
      })

      it(`gets no recent proof by refreshing, by guessing or by the code of a reset, with the ${name}`, async () => {
        const thief = await stolen()
        assertSucceeded(await post(service, '/api/forgot-password', { email: thief.email }))
        const guesses = ['123456', await codeFor(service, thief.email), 'f'.repeat(32)]
        for (const mailedCode of guesses) {
          assertRefused(await post(service, '/api/reauthenticate', { mailedCode }, { as: thief }), 400)
        }
        for (const password of ['', NEW_PASSWORD, 'null']) {
          assertRefused(await post(service, '/api/reauthenticate', { password }, { as: thief }), 400)
        }
        const later = await refreshed(service, thief)
        assertRefused(await post(service, '/api/change-password', PASSWORDS, { as: later }), 403)
        assertRefused(await unlink(service, name, later), 403)
        await assertAlive(service, later)
      })

      it(`gets nothing from the proof of the owner's own session, with the ${name}`, async () => {
        const thief = await stolen()
        const { email, userId } = thief
        const subject = providers[name].people.admit({ email })
        const owner = await signedIn(service, providers[name], subject)
        assert.equal(owner.userId, userId)
        assertRefused(await post(service, '/api/change-password', PASSWORDS, { as: thief }), 403)
        assertSucceeded(await post(service, '/api/change-password', PASSWORDS, { as: owner }))
      })
    }
  })
})

describe('the thief of a session who guesses a code to prove the identity', () => {
  const GUESSES = 8
  const MAX_EVENTS_A_DAY = 5

  onBothEngines((service) => {
    async function assertNoticed(owner: Person, guess: object): Promise<void> {
      for (let tries = 0; tries < GUESSES; tries++)
        assertRefused(await post(service, '/api/reauthenticate', guess, { as: owner }), 400)
      await service.portico.refusedProofs.idle()
      const noticed = (await eventTypes(service, owner)).filter((type) => type === 'identity.refused')
      assert.equal(noticed.length, MAX_EVENTS_A_DAY)
    }

    it('of the authenticator app is noticed by the owner', async () => {
      const owner = await someoneProtected(service)
      await assertNoticed(owner, { code: wrongAppCode(owner.secret) })
    })

    it('from the mailbox is noticed by the owner', async () => {
      const owner = await someone(service)
      await removePassword(service, owner.email)
      assertSucceeded(await post(service, '/api/reauthenticate/code', undefined, { as: owner }))
      await assertNoticed(owner, { mailedCode: otherThan(await codeFor(service, owner.email)) })
    })
  })
})
