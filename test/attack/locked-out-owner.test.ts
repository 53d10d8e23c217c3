import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MAX_CONSECUTIVE_WRONG_CODES } from '../../src/proofs/authenticator-app.ts'
import { assertRefused, assertSucceeded, get, type Person, post } from '../support/api.ts'
import {
  addPasskey,
  type newAuthenticator,
  reauthenticate,
  reauthenticationOptions,
  signInOptions,
  tryPasskey,
} from '../support/passkeys.ts'
import {
  appCode,
  type Protected,
  passFirstStep,
  passSecondStep,
  someoneProtected,
  wrongAppCode,
} from '../support/second-factor.ts'
import { onBothEngines } from '../support/service.ts'

const TRIES_PER_CODE = 5
const TRIES_PER_HOUR = 15

describe('an attacker who wants to lock the owner out', () => {
  onBothEngines((service) => {
    /** Enters wrong codes with the password of the owner, until the app is blocked. */
    async function blockApp(owner: Protected): Promise<void> {
      for (let tries = 0; tries < MAX_CONSECUTIVE_WRONG_CODES; tries += TRIES_PER_CODE) {
        if (tries % TRIES_PER_HOUR === 0) await service.advanceTime({ hours: 1 })
        const challenge = await passFirstStep(service, owner)
        for (let round = 0; round < TRIES_PER_CODE; round++)
          assertRefused(await passSecondStep(service, challenge, { code: wrongAppCode(owner.secret) }), 400)
      }
    }

    async function isAppBlocked(as: Person): Promise<boolean> {
      const { body } = await get(service, '/api/second-factor', { as })
      return body.data.authenticatorApp.isBlocked
    }

    const PASSKEY_USES: Record<string, (owner: Protected, passkey: ReturnType<typeof newAuthenticator>) => unknown> = {
      'as a second factor': async (owner, passkey) => {
        const proof = { passkey: passkey.get(await signInOptions(service)) }
        const challenge = await passFirstStep(service, owner)
        assertSucceeded(await post(service, '/api/log-in/second-factor', { challenge, ...proof }))
      },
      'to sign in': async (_owner, passkey) => assertSucceeded(await tryPasskey(service, passkey)),
      'to prove the identity again': async (owner, passkey) => {
        const response = passkey.get(await reauthenticationOptions(service, owner))
        assertSucceeded(await reauthenticate(service, owner, response))
      },
    }
    for (const [how, use] of Object.entries(PASSKEY_USES)) {
      it(`with the password cannot block the app for good: the owner uses a passkey ${how}`, async () => {
        const owner = await someoneProtected(service)
        const passkey = await addPasskey(service, owner)
        await blockApp(owner)
        assert.equal(await isAppBlocked(owner), true)
        await use(owner, passkey)
        assert.equal(await isAppBlocked(owner), false)
        const code = appCode(owner.secret)
        assertSucceeded(await passSecondStep(service, await passFirstStep(service, owner), { code }))
      })
    }
  })
})
