import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeJwt } from 'jose'
import { assertAlive, listedSession, otherThan, refreshed, removePassword, someone } from '../support/accounts.ts'
import {
  type ApiResponse,
  assertRefused,
  assertSucceeded,
  codeFor,
  del,
  eventTypes,
  fieldsOf,
  get,
  logIn,
  mailsTo,
  PASSWORD,
  type Person,
  post,
  signUp,
} from '../support/api.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const PROVE_AGAIN = 'Please prove your identity again'
const NEW_PASSWORDS = { newPassword: 'Brand-New-Horse-8', confirmPassword: 'Brand-New-Horse-8' }

const reauthenticate = (service: Service, as: Person, body: object) =>
  post(service, '/api/reauthenticate', body, { as })

/** A person without a password whose last proof of identity is too old. */
async function unprovenWithoutPassword(service: Service): Promise<Person> {
  const person = await someone(service)
  await removePassword(service, person.email)
  await service.advanceTime({ minutes: 15 })
  return person
}

async function mailedCode(service: Service, person: Person): Promise<string> {
  assertSucceeded(await post(service, '/api/reauthenticate/code', undefined, { as: person }))
  return codeFor(service, person.email)
}

function assertProofRequired(response: ApiResponse, means: string[]): void {
  assertRefused(response, 403, PROVE_AGAIN)
  assert.equal(response.body.code, 'reauthentication_required')
  assert.deepEqual(response.body.data, { means })
}

describe('the proof of identity in a session', () => {
  onBothEngines((service) => {
    it('is in the list of sessions and in the access token, with time and methods', async () => {
      const person = await logIn(service, await signUp(service))
      const { authenticatedAt, methods, createdAt } = await listedSession(service, person, person)
      assert.deepEqual(methods, ['pwd'])
      assert.equal(authenticatedAt, createdAt)
      const { auth_time, amr } = decodeJwt(person.accessToken)
      assert.equal(auth_time, Math.floor(Date.parse(authenticatedAt) / 1000))
      assert.deepEqual(amr, ['pwd'])
    })

    it('is a mailed code after the verification of the address', async () => {
      const person = await signUp(service)
      assert.deepEqual(decodeJwt(person.accessToken).amr, ['mail'])
    })

    it('stays as it is with a refresh', async () => {
      const person = await someone(service)
      await service.advanceTime({ hours: 2 })
      const { auth_time = 0, amr } = decodeJwt((await refreshed(service, person)).accessToken)
      assert.ok(Math.abs(Date.now() / 1000 - Number(auth_time) - 7200) < 60)
      assert.deepEqual(amr, ['pwd'])
    })

    it('of a session from an older version is its start and what began it', async () => {
      const person = await someone(service)
      await service.portico.database.query
        .updateTable('sessions')
        .set({ authenticated_at: null, auth_methods: null, auth_method: 'codehost' })
        .where('id', '=', person.sessionId)
        .execute()
      const { authenticatedAt, methods, createdAt } = await listedSession(service, person, person)
      assert.equal(authenticatedAt, createdAt)
      assert.deepEqual(methods, ['fed'])
      await removePassword(service, person.email)
      await service.advanceTime({ minutes: 14 })
      assertSucceeded(await post(service, '/api/change-password', NEW_PASSWORDS, { as: person }))
    })
  })
})

describe('POST /api/reauthenticate', () => {
  onBothEngines((service) => {
    it('accepts the password, and gives an access token with the new time', async () => {
      const person = await someone(service)
      await service.advanceTime({ hours: 1 })
      const response = await reauthenticate(service, person, { password: PASSWORD })
      assertSucceeded(response)
      const { accessToken, authenticatedAt, methods } = response.body.data
      assert.ok(Math.abs(Date.parse(authenticatedAt) - Date.now()) < 60_000)
      assert.deepEqual(methods, ['pwd'])
      assert.equal(decodeJwt(accessToken).auth_time, Math.floor(Date.parse(authenticatedAt) / 1000))
      await assertAlive(service, { ...person, accessToken })
      assert.equal((await eventTypes(service, person))[0], 'identity.proven')
    })

    it('refuses a wrong password, and records it', async () => {
      const person = await someone(service)
      assertRefused(await reauthenticate(service, person, { password: 'Wrong-Horse-7' }), 400, 'Password is incorrect')
      await service.portico.refusedProofs.idle()
      assert.equal((await eventTypes(service, person))[0], 'password.refused')
    })

    it('refuses any password of an account without one', async () => {
      const person = await unprovenWithoutPassword(service)
      assertRefused(await reauthenticate(service, person, { password: PASSWORD }), 400, 'Password is incorrect')
    })

    it('accepts a mailed code from an account without other means, once', async () => {
      const person = await unprovenWithoutPassword(service)
      const code = await mailedCode(service, person)
      assertRefused(
        await reauthenticate(service, person, { mailedCode: otherThan(code) }),
        400,
        'Invalid or expired code',
      )
      const response = await reauthenticate(service, person, { mailedCode: code })
      assertSucceeded(response)
      assert.deepEqual(response.body.data.methods, ['pwd', 'mail'])
      assertRefused(await reauthenticate(service, person, { mailedCode: code }), 400, 'Invalid or expired code')
    })

    it('mails no code to an account that has a password, and accepts none', async () => {
      const person = await unprovenWithoutPassword(service)
      const code = await mailedCode(service, person)
      assertSucceeded(await reauthenticate(service, person, { mailedCode: code }))
      const other = await mailedCode(service, person)
      assertSucceeded(await post(service, '/api/change-password', NEW_PASSWORDS, { as: person }))
      const mails = (await mailsTo(service, person.email)).length
      const refused = await post(service, '/api/reauthenticate/code', undefined, { as: person })
      assertRefused(refused, 400, 'This account has other means to prove your identity')
      assertRefused(await reauthenticate(service, person, { mailedCode: other }), 400, 'Invalid or expired code')
      assert.equal((await mailsTo(service, person.email)).length, mails)
    })

    it('accepts neither a code of another purpose nor one of another account', async () => {
      const [person, other] = [await unprovenWithoutPassword(service), await unprovenWithoutPassword(service)]
      assertSucceeded(await post(service, '/api/forgot-password', { email: person.email }))
      const resetCode = await codeFor(service, person.email)
      for (const mailedCodeOfOther of [resetCode, await mailedCode(service, other)]) {
        const response = await reauthenticate(service, person, { mailedCode: mailedCodeOfOther })
        assertRefused(response, 400, 'Invalid or expired code')
      }
      assertProofRequired(await post(service, '/api/change-password', NEW_PASSWORDS, { as: person }), ['mailed-code'])
    })

    it('takes exactly one proof', async () => {
      const person = await someone(service)
      for (const body of [{}, { password: PASSWORD, mailedCode: '123456' }]) {
        const response = await reauthenticate(service, person, body)
        assertRefused(response, 400, 'Validation failed')
        assert.match(fieldsOf(response).password ?? '', /^Send exactly one of password, mailedCode/)
      }
    })
  })
})

describe('a session whose proof of identity is 15 minutes old', () => {
  onBothEngines((service) => {
    it('cannot set the first password of an account, nor delete the account', async () => {
      const person = await unprovenWithoutPassword(service)
      assertProofRequired(await post(service, '/api/change-password', NEW_PASSWORDS, { as: person }), ['mailed-code'])
      assertProofRequired(await del(service, '/api/delete-user', {}, { as: person }), ['mailed-code'])
      await assertAlive(service, person)

      assertSucceeded(await reauthenticate(service, person, { mailedCode: await mailedCode(service, person) }))
      assertSucceeded(await post(service, '/api/change-password', NEW_PASSWORDS, { as: person }))
    })

    it('can delete an account without a password after a new proof', async () => {
      const person = await unprovenWithoutPassword(service)
      assertSucceeded(await reauthenticate(service, person, { mailedCode: await mailedCode(service, person) }))
      assertSucceeded(await del(service, '/api/delete-user', {}, { as: person }))
    })

    it('changes the password with the current one, which is a proof', async () => {
      const person = await someone(service)
      await service.advanceTime({ hours: 1 })
      const body = { currentPassword: PASSWORD, ...NEW_PASSWORDS }
      assertSucceeded(await post(service, '/api/change-password', body, { as: person }))
      const { authenticatedAt } = await listedSession(service, person, person)
      assert.ok(Math.abs(Date.parse(authenticatedAt) - Date.now()) < 60_000)
    })

    it('reads as before', async () => {
      const person = await unprovenWithoutPassword(service)
      for (const path of ['/api/user-details', '/api/sessions', '/api/security-events', '/api/linked-accounts']) {
        assertSucceeded(await get(service, path, { as: person }))
      }
    })
  })

  onBothEngines(
    (service) => {
      it('lasts as long as REAUTHENTICATE_AFTER says', async () => {
        const person = await someone(service)
        await removePassword(service, person.email)
        await service.advanceTime({ minutes: 59 })
        assertSucceeded(await post(service, '/api/change-password', NEW_PASSWORDS, { as: person }))
        await removePassword(service, person.email)
        await service.advanceTime({ minutes: 2 })
        assertProofRequired(await post(service, '/api/change-password', NEW_PASSWORDS, { as: person }), ['mailed-code'])
      })
    },
    { REAUTHENTICATE_AFTER: '1h' },
  )
})
