import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NEW_PASSWORD } from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  call,
  codeFor,
  del,
  get,
  logIn,
  newEmail,
  PASSWORD,
  type Person,
  post,
  signUp,
} from '../support/api.ts'
import { confirmChange, requestChange } from '../support/email-changes.ts'
import { makeOwner, signUpOwner } from '../support/owners.ts'
import { addApp, appCode } from '../support/second-factor.ts'
import { onBothEngines } from '../support/service.ts'

describe('the account of an owner with a passkey or an app', () => {
  onBothEngines((service) => {
    async function addPasskey({ userId }: Person): Promise<void> {
      await service.portico.database.query
        .insertInto('passkeys')
        .values({
          id: `key-${userId}`,
          user_id: userId,
          name: 'Key',
          public_key: '',
          sign_count: 0,
          transports: '[]',
          is_backed_up: 0,
          aaguid: '',
          created_at: 0,
        })
        .execute()
    }

    it('refuses a session of a password at the paths of owners', async () => {
      const owner = await signUpOwner(service)
      await addPasskey(owner)
      const refused = await get(service, '/api/owner/people', { as: owner })
      assertRefused(refused, 403, 'Please prove your identity again')
      assert.deepEqual(refused.body.data, { means: ['passkey'] })
    })

    it('lets a password alone change neither the ways to sign in nor the account, even with a new proof', async () => {
      const owner = await signUpOwner(service)
      const member = await signUp(service)
      for (const person of [owner, member]) await addPasskey(person)
      const changes = [
        ['DELETE', '/api/passkeys', (person: Person) => ({ id: `key-${person.userId}` })],
        ['POST', '/api/passkeys/registration-options', () => undefined],
        ['POST', '/api/authenticator-app', () => undefined],
        ['DELETE', '/api/authenticator-app', () => undefined],
        ['POST', '/api/second-factor', () => ({ isRequired: true })],
        ['POST', '/api/recovery-codes', () => undefined],
        ['DELETE', '/api/delete-user', () => ({ password: PASSWORD })],
        [
          'POST',
          '/api/change-password',
          () => ({ currentPassword: PASSWORD, newPassword: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }),
        ],
      ] as const
      // A new proof by password changes nothing.
      for (const as of [owner, member]) {
        assertSucceeded(await post(service, '/api/reauthenticate', { password: PASSWORD }, { as }))
      }
      for (const [method, path, bodyOf] of changes) {
        const refused = await call(service, method, path, bodyOf(owner), { as: owner })
        assertRefused(refused, 403, 'Please prove your identity again')
        assert.deepEqual(refused.body.data, { means: ['passkey'] }, path)
      }
      assertRefused(await get(service, '/api/owner/people', { as: owner }), 403)
      const { query } = service.portico.database
      assert.ok(await query.selectFrom('passkeys').select('id').where('user_id', '=', owner.userId).executeTakeFirst())
      // A member who has lost the passkey can still remove it.
      const removed = await call(service, 'DELETE', '/api/passkeys', { id: `key-${member.userId}` }, { as: member })
      assertSucceeded(removed)
    })

    it('does not count an app that was removed before another was added', async () => {
      const owner = await signUpOwner(service)
      const thief = await logIn(service, owner)
      const { secret } = await addApp(service, thief)
      assertSucceeded(await post(service, '/api/reauthenticate', { code: appCode(secret) }, { as: thief }))
      assertSucceeded(await del(service, '/api/authenticator-app', undefined, { as: thief }))
      await addApp(service, owner)
      assertSucceeded(await post(service, '/api/reauthenticate', { password: PASSWORD }, { as: thief }))
      assertRefused(await get(service, '/api/owner/people', { as: thief }), 403, 'Please prove your identity again')
      const { means } = (await get(service, '/api/owner/people', { as: thief })).body.data
      assert.deepEqual(means, ['authenticator-app'])
    })

    it('finishes no change of the address that a password began before the person became an owner', async () => {
      const person = await signUp(service)
      const address = newEmail()
      assertSucceeded(await requestChange(service, person, address))
      const code = await codeFor(service, address)
      await addPasskey(person)
      await makeOwner(service, person)
      const refused = await confirmChange(service, person, code)
      assertRefused(refused, 403, 'Please prove your identity again')
      assert.equal((await service.portico.store.findById(person.userId))?.email, person.email)
    })
  })
})
