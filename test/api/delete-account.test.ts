import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { assertAlive, assertEnded, removePassword, tablesNaming, tryLogIn } from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  del,
  eventTypes,
  fieldsOf,
  logIn,
  mailsTo,
  PASSWORD,
  type Person,
  signUp,
} from '../support/api.ts'
import { onBothEngines } from '../support/service.ts'

describe('delete-user', () => {
  onBothEngines((service) => {
    const deleteUser = (as: Person, body?: unknown) => del(service, '/api/delete-user', body, { as })

    it('deletes the account for the right password, and ends every session of it at once', async () => {
      const person = await signUp(service)
      const second = await logIn(service, person)
      const response = await deleteUser(person, { password: PASSWORD })
      assertSucceeded(response)
      assert.ok(!('data' in response.body))
      await assertEnded(service, person)
      await assertEnded(service, second)
      assertRefused(await tryLogIn(service, person.email, PASSWORD), 401, 'Invalid email or password')
      assertRefused(await deleteUser(person, { password: PASSWORD }), 401)
    })

    it('changes no other account', async () => {
      const [person, other] = [await signUp(service), await signUp(service)]
      const { store } = service.portico
      const rowBefore = await store.findById(other.userId)
      const before = [await tablesNaming(service, other.userId), await eventTypes(service, other)]
      const mailsBefore = await mailsTo(service, other.email)
      assertSucceeded(await deleteUser(person, { password: PASSWORD, userId: other.userId, email: other.email }))
      await assertAlive(service, other)
      assert.deepEqual([await tablesNaming(service, other.userId), await eventTypes(service, other)], before)
      assert.deepEqual(await store.findById(other.userId), rowBefore)
      assert.deepEqual(await mailsTo(service, other.email), mailsBefore)
    })

    it('requires no password of an account that has none', async () => {
      for (const body of [undefined, {}]) {
        const person = await signUp(service)
        await removePassword(service, person.email)
        assertSucceeded(await deleteUser(person, body))
        await assertEnded(service, person)
        assert.equal(await service.portico.store.findByEmail(person.email), undefined)
      }
    })

    describe('without the right password', () => {
      let person: Person
      before(async () => {
        person = await signUp(service)
      })

      async function assertUntouched(attempt: () => Promise<void>) {
        const { store } = service.portico
        const [row, mails] = [await store.findById(person.userId), await mailsTo(service, person.email)]
        await attempt()
        await assertAlive(service, person)
        assert.deepEqual(await store.findById(person.userId), row)
        assert.deepEqual(await mailsTo(service, person.email), mails)
      }

      for (const password of ['Wrong-Horse-7', PASSWORD.toLowerCase(), `${PASSWORD} `]) {
        it(`refuses "${password}", and the session remains`, () =>
          assertUntouched(async () => {
            assertRefused(await deleteUser(person, { password }), 400, 'Password is incorrect')
          }))
      }

      for (const body of [
        undefined,
        {},
        { password: null },
        { password: '' },
        { password: 7 },
        { password: [PASSWORD] },
      ]) {
        it(`refuses ${JSON.stringify(body) ?? 'no body'} as invalid`, () =>
          assertUntouched(async () => {
            const response = await deleteUser(person, body)
            assertRefused(response, 400, 'Validation failed')
            assert.deepEqual(Object.keys(fieldsOf(response)), ['password'])
          }))
      }
    })
  })
})
