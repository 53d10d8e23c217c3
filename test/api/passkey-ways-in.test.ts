import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  assertAlive,
  assertEnded,
  NEW_PASSWORD,
  newResetCode,
  ownProfile,
  removePassword,
  reset,
  rowsNaming,
  someone,
  tryLogIn,
  unlink,
} from '../support/accounts.ts'
import { assertRefused, assertSucceeded, del, eventTypes, logIn, mailsTo, type Person, post } from '../support/api.ts'
import { addPasskey, listPasskeys, logInWithPasskey, removePasskey, tryPasskey } from '../support/passkeys.ts'
import { onBothEngines } from '../support/service.ts'

const ONLY_WAY = 'Cannot remove the only way to sign in: add another one first'

describe('the ways to sign in to an account', () => {
  onBothEngines((service) => {
    const deletePassword = (as: Person) => del(service, '/api/password', undefined, { as })

    async function link({ userId }: Person): Promise<void> {
      const { database } = service.portico
      await database.query
        .insertInto('linked_accounts')
        .values({
          provider: 'codehost',
          issuer: 'https://code.example',
          subject: userId,
          user_id: userId,
          username: 'ada',
          linked_at: database.now,
        })
        .execute()
    }

    it('can be passkeys alone: the password is removed, and a passkey signs in', async () => {
      const person = await someone(service)
      const other = await logIn(service, person)
      const passkey = await addPasskey(service, person)
      assertSucceeded(await deletePassword(person))
      assertRefused(await tryLogIn(service, person.email, person.password), 401)
      await assertEnded(service, other)
      await assertAlive(service, person)
      const session = await logInWithPasskey(service, passkey)
      assert.equal((await ownProfile(service, session)).hasPassword, false)
      assert.ok((await eventTypes(service, person)).includes('password.removed'))
      const subjects = (await mailsTo(service, person.email)).map(({ subject }) => subject)
      assert.ok(subjects.includes('Your password was removed - Portico'), subjects.join())
    })

    it('cannot be without the only one: a password stays', async () => {
      const person = await someone(service)
      assertRefused(await deletePassword(person), 400, ONLY_WAY)
      assert.equal((await logIn(service, person)).userId, person.userId)
    })

    it('cannot be without the only one: a passkey stays', async () => {
      const person = await someone(service)
      const passkey = await addPasskey(service, person)
      await removePassword(service, person.email)
      assertRefused(await removePasskey(service, person, passkey.id), 400, ONLY_WAY)
      assert.equal((await logInWithPasskey(service, passkey)).userId, person.userId)
    })

    it('cannot be without the only one: a provider stays', async () => {
      const person = await someone(service)
      await link(person)
      assertSucceeded(await deletePassword(person))
      assertRefused(await unlink(service, 'codehost', person), 400)
    })

    it('let a passkey, a provider and another passkey each stand in for the rest', async () => {
      const person = await someone(service)
      const [one, other] = [await addPasskey(service, person), await addPasskey(service, person)]
      await link(person)
      assertSucceeded(await deletePassword(person))
      assertSucceeded(await unlink(service, 'codehost', person))
      assertSucceeded(await removePasskey(service, person, one.id))
      assertRefused(await removePasskey(service, person, other.id), 400, ONLY_WAY)
      await link(person)
      assertSucceeded(await removePasskey(service, person, other.id))
    })

    it('keep one when two are removed at the same time', async () => {
      const person = await someone(service)
      const passkeys = [await addPasskey(service, person), await addPasskey(service, person)]
      await removePassword(service, person.email)
      const responses = await Promise.all(passkeys.map(({ id }) => removePasskey(service, person, id)))
      assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 400])
      assert.equal((await listPasskeys(service, person)).length, 1)
    })

    it('turn two-step sign-in off with the last second factor, so that the password alone signs in', async () => {
      const person = await someone(service)
      const [one, other] = [await addPasskey(service, person), await addPasskey(service, person)]
      assertSucceeded(await post(service, '/api/second-factor', { isRequired: true }, { as: person }))
      assertSucceeded(await removePasskey(service, person, one.id))
      assert.equal((await tryLogIn(service, person.email, person.password)).body.code, 'second_factor_required')
      assert.equal((await logInWithPasskey(service, other)).userId, person.userId)
      assertSucceeded(await removePasskey(service, person, other.id))
      assert.equal((await logIn(service, person)).userId, person.userId)
      const mails = (await mailsTo(service, person.email)).filter(({ subject }) =>
        subject.startsWith('A passkey was removed'),
      )
      const isTold = (text: string) => text.replaceAll(/\s+/g, ' ').includes('Two-step sign-in was turned off')
      assert.deepEqual(mails.map(({ text }) => isTold(text)).sort(), [false, true])
    })

    it('tell an account without a password that it has none to remove', async () => {
      const person = await someone(service)
      await addPasskey(service, person)
      assertSucceeded(await deletePassword(person))
      assertRefused(await deletePassword(person), 404, 'The account has no password')
    })

    it('need a recent proof to be added or removed', async () => {
      const person = await someone(service)
      const passkey = await addPasskey(service, person)
      await service.portico.database.query
        .updateTable('sessions')
        .set({ authenticated_at: Date.now() - 16 * 60_000 })
        .where('id', '=', person.sessionId)
        .execute()
      for (const response of [
        await post(service, '/api/passkeys/registration-options', {}, { as: person }),
        await removePasskey(service, person, passkey.id),
        await deletePassword(person),
      ]) {
        assert.equal(response.status, 403)
        assert.equal(response.body.code, 'reauthentication_required')
        assert.deepEqual(response.body.data, { means: ['password', 'passkey'] })
      }
      assert.equal((await listPasskeys(service, person)).length, 1)
    })

    it('stay when the password is reset, and the mail says so', async () => {
      const person = await someone(service)
      const passkey = await addPasskey(service, person)
      assertSucceeded(await reset(service, person.email, await newResetCode(service, person.email), NEW_PASSWORD))
      const [mail] = await mailsTo(service, person.email)
      assert.equal(mail?.subject, 'Your password was reset - Portico')
      assert.match(mail?.text ?? '', /1 passkey can still be used to sign in to it\./)
      assert.equal((await logInWithPasskey(service, passkey)).userId, person.userId)
    })

    it('are deleted with the account', async () => {
      const person = await someone(service)
      const passkey = await addPasskey(service, person)
      assertSucceeded(await del(service, '/api/delete-user', { password: person.password }, { as: person }))
      assert.deepEqual([...new Set(Object.values(await rowsNaming(service, person)))], [0])
      for (const table of ['passkeys', 'passkey_handles'] as const) {
        const rows = await service.portico.database.query
          .selectFrom(table)
          .select('user_id')
          .where('user_id', '=', person.userId)
          .execute()
        assert.deepEqual(rows, [])
      }
      assertRefused(await tryPasskey(service, passkey), 401)
    })
  })
})
