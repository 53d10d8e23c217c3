import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { someone } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, type Person, post } from '../support/api.ts'
import { addPasskey, reauthenticate, reauthenticationOptions, registrationOptions } from '../support/passkeys.ts'
import { onBothEngines } from '../support/service.ts'

describe('re-authentication with a passkey', () => {
  onBothEngines((service) => {
    /** The last proof of the session is older than REAUTHENTICATE_AFTER. */
    async function age({ sessionId }: Person): Promise<void> {
      await service.portico.database.query
        .updateTable('sessions')
        .set({ authenticated_at: Date.now() - 16 * 60_000 })
        .where('id', '=', sessionId)
        .execute()
    }

    it('renews the proof of the session, with the method of the passkey', async () => {
      const person = await someone(service)
      const passkey = await addPasskey(service, person)
      await age(person)
      assert.equal((await post(service, '/api/passkeys/registration-options', {}, { as: person })).status, 403)
      const options = await reauthenticationOptions(service, person)
      assert.deepEqual(options.allowCredentials, [
        { id: passkey.id, type: 'public-key', transports: ['internal', 'hybrid'] },
      ])
      const response = await reauthenticate(service, person, passkey.get(options))
      assertSucceeded(response)
      assert.deepEqual(response.body.data.methods, ['pwd', 'hwk'])
      await registrationOptions(service, person)
    })

    it('accepts a response without a user handle, which the listed credential does not need', async () => {
      const person = await someone(service)
      const passkey = await addPasskey(service, person)
      const options = await reauthenticationOptions(service, person)
      assertSucceeded(await reauthenticate(service, person, passkey.get(options, { userHandle: null })))
    })

    it('refuses a response without user verification, and keeps the old proof', async () => {
      const person = await someone(service)
      const passkey = await addPasskey(service, person)
      await age(person)
      const options = await reauthenticationOptions(service, person)
      assertRefused(await reauthenticate(service, person, passkey.get(options, { isVerified: false })), 400)
      assert.equal((await post(service, '/api/passkeys/registration-options', {}, { as: person })).status, 403)
    })
  })
})
