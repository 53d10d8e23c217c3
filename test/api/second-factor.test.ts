import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertAlive, someone, tryLogIn } from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  del,
  eventTypes,
  fieldsOf,
  get,
  PASSWORD,
  post,
  subjectsTo,
} from '../support/api.ts'
import {
  addApp,
  appCode,
  assertAsksForSecondFactor,
  passFirstStep,
  passSecondStep,
  someoneProtected,
  stateOf,
  wrongAppCode,
} from '../support/second-factor.ts'
import { onBothEngines } from '../support/service.ts'

const RECOVERY_CODE = /^[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){2}$/

describe('two-step sign-in', () => {
  onBothEngines((service) => {
    it('is off for a new account', async () => {
      const person = await someone(service)
      assert.deepEqual(await stateOf(service, person), {
        isRequired: false,
        authenticatorApp: null,
        passkeys: 0,
        recoveryCodesLeft: 0,
      })
      assertSucceeded(await tryLogIn(service, person.email, PASSWORD))
    })

    it('is turned on by the first right code of an app', async () => {
      const person = await someone(service)
      const begun = await post(service, '/api/authenticator-app', undefined, { as: person })
      assertSucceeded(begun)
      const { secret, uri, qrCode } = begun.body.data
      assert.match(secret, /^[A-Z2-7]{32}$/)
      const { protocol, host, pathname, searchParams } = new URL(uri)
      assert.deepEqual([protocol, host], ['otpauth:', 'totp'])
      assert.equal(decodeURIComponent(pathname), `/Portico:${person.email}`)
      assert.deepEqual(Object.fromEntries(searchParams), {
        secret,
        issuer: 'Portico',
        algorithm: 'SHA1',
        digits: '6',
        period: '30',
      })
      assert.match(qrCode, /^<svg [^>]*role="img"/)

      // Not before: the app could have been set up wrongly.
      assert.equal((await stateOf(service, person)).authenticatorApp, null)
      assertSucceeded(await tryLogIn(service, person.email, PASSWORD))
      assertRefused(
        await post(service, '/api/authenticator-app/confirm', { code: wrongAppCode(secret) }, { as: person }),
        400,
      )
      assertSucceeded(await tryLogIn(service, person.email, PASSWORD))

      const spaced = appCode(secret).replace(/^.../, '$& ')
      const confirmed = await post(service, '/api/authenticator-app/confirm', { code: spaced }, { as: person })
      assertSucceeded(confirmed)
      const { recoveryCodes } = confirmed.body.data
      assert.equal(new Set(recoveryCodes).size, 10)
      for (const code of recoveryCodes) assert.match(code, RECOVERY_CODE)

      const { isRequired, authenticatorApp, recoveryCodesLeft } = await stateOf(service, person)
      assert.deepEqual([isRequired, recoveryCodesLeft], [true, 10])
      assert.deepEqual([authenticatorApp.lastUsedAt, authenticatorApp.isBlocked], [null, false])
      assertAsksForSecondFactor(await tryLogIn(service, person.email, PASSWORD), ['authenticator-app', 'recovery-code'])
      assert.ok((await eventTypes(service, person)).includes('authenticator-app.added'))
      assert.ok((await subjectsTo(service, person.email)).includes('An authenticator app was added'))
      await assertAlive(service, person)
    })

    it('needs a secret of the last hour, and the last one that was shown', async () => {
      const person = await someone(service)
      const begin = async () =>
        (await post(service, '/api/authenticator-app', undefined, { as: person })).body.data.secret
      const [first, second] = [await begin(), await begin()]
      const confirm = (secret: string) =>
        post(service, '/api/authenticator-app/confirm', { code: appCode(secret) }, { as: person })
      assertRefused(await confirm(first), 400)
      await service.portico.database.query
        .updateTable('authenticator_apps')
        .set((eb) => ({ created_at: eb('created_at', '-', 60 * 60_000) }))
        .where('user_id', '=', person.userId)
        .execute()
      assertRefused(await confirm(second), 400)
      assertSucceeded(await confirm(await begin()))
    })

    it('allows one app, and stores its secret encrypted', async () => {
      const owner = await someoneProtected(service)
      assertRefused(await post(service, '/api/authenticator-app', undefined, { as: owner }), 409)
      const row = await service.portico.database.query
        .selectFrom('authenticator_apps')
        .select('secret')
        .where('user_id', '=', owner.userId)
        .executeTakeFirstOrThrow()
      assert.ok(!row.secret.includes(owner.secret))
      assert.match(row.secret, /^d\.[\w-]{64}$/)
    })

    it('signs in with a code of the app, and responds as log-in does', async () => {
      const owner = await someoneProtected(service)
      const challenge = await passFirstStep(service, owner)
      const response = await passSecondStep(service, challenge, { code: appCode(owner.secret) })
      assertSucceeded(response)
      assert.equal(response.body.message, 'Login successful')
      const { accessToken, session, user } = response.body.data
      assert.equal(user.userId, owner.userId)
      const { sessionId } = session
      await assertAlive(service, { ...owner, accessToken, sessionId })
      const { auth_method, auth_methods } = await service.portico.database.query
        .selectFrom('sessions')
        .select(['auth_method', 'auth_methods'])
        .where('id', '=', sessionId)
        .executeTakeFirstOrThrow()
      assert.deepEqual([auth_method, auth_methods], ['email', 'pwd otp'])
      assert.notEqual((await stateOf(service, owner)).authenticatorApp.lastUsedAt, null)
      assert.deepEqual(response.headers.getSetCookie(), [])
    })

    it('takes exactly one proof', async () => {
      const owner = await someoneProtected(service)
      const challenge = await passFirstStep(service, owner)
      const both = { code: appCode(owner.secret), recoveryCode: owner.recoveryCodes[0] as string }
      for (const proof of [{}, both]) {
        const response = await passSecondStep(service, challenge, proof)
        assertRefused(response, 400, 'Validation failed')
        assert.deepEqual(Object.keys(fieldsOf(response)), ['code'])
      }
      assertSucceeded(await passSecondStep(service, challenge, { code: both.code }))
    })

    it('is turned off and on, and keeps the app', async () => {
      const owner = await someoneProtected(service)
      const challenge = await passFirstStep(service, owner)
      const off = await post(service, '/api/second-factor', { isRequired: false }, { as: owner })
      assertSucceeded(off)
      assert.deepEqual(off.body.data, { isRequired: false, recoveryCodes: [] })
      assertRefused(await passSecondStep(service, challenge, { code: appCode(owner.secret) }), 400)
      assertSucceeded(await tryLogIn(service, owner.email, PASSWORD))
      const state = await stateOf(service, owner)
      assert.deepEqual([state.isRequired, state.recoveryCodesLeft], [false, 0])
      assert.notEqual(state.authenticatorApp, null)

      const on = await post(service, '/api/second-factor', { isRequired: true }, { as: owner })
      assertSucceeded(on)
      assert.equal(on.body.data.recoveryCodes.length, 10)
      assertSucceeded(
        await passSecondStep(service, await passFirstStep(service, owner), { code: appCode(owner.secret) }),
      )
      const events = await eventTypes(service, owner)
      assert.ok(events.includes('second-factor.turned-on') && events.includes('second-factor.turned-off'))
      const subjects = await subjectsTo(service, owner.email)
      assert.ok(subjects.includes('Two-step sign-in is on') && subjects.includes('Two-step sign-in is off'))

      const again = await post(service, '/api/second-factor', { isRequired: true }, { as: owner })
      assert.deepEqual(again.body.data, { isRequired: true, recoveryCodes: [] })
    })

    it('cannot be turned on without a factor', async () => {
      const person = await someone(service)
      const response = await post(service, '/api/second-factor', { isRequired: true }, { as: person })
      assertRefused(response, 409, 'Add an authenticator app or a passkey first')
    })

    it('is turned off when the only factor is removed', async () => {
      const owner = await someoneProtected(service)
      const challenge = await passFirstStep(service, owner)
      const { headers } = await passSecondStep(service, challenge, {
        code: appCode(owner.secret),
        rememberBrowser: true,
      })
      assert.equal(headers.getSetCookie().length, 1)
      const removed = await del(service, '/api/authenticator-app', undefined, { as: owner })
      assertSucceeded(removed)
      assert.deepEqual(removed.body.data, { isRequired: false })
      assert.deepEqual(await stateOf(service, owner), {
        isRequired: false,
        authenticatorApp: null,
        passkeys: 0,
        recoveryCodesLeft: 0,
      })
      const browsers = await get(service, '/api/remembered-browsers', { as: owner })
      assert.deepEqual(browsers.body.data.browsers, [])
      assertSucceeded(await tryLogIn(service, owner.email, PASSWORD))
      assertRefused(await del(service, '/api/authenticator-app', undefined, { as: owner }), 404)
      assert.ok((await eventTypes(service, owner)).includes('authenticator-app.removed'))
      assert.ok((await subjectsTo(service, owner.email)).includes('Your authenticator app was removed'))
      assert.notDeepEqual((await addApp(service, owner)).secret, owner.secret)
    })

    it('proves the own identity again with a code of the app', async () => {
      const owner = await someoneProtected(service)
      await service.advanceTime({ minutes: 16 })
      const removal = await del(service, '/api/authenticator-app', undefined, { as: owner })
      assert.equal(removal.body.code, 'reauthentication_required')
      assert.deepEqual(removal.body.data.means, ['password', 'authenticator-app'])
      assertRefused(
        await post(service, '/api/reauthenticate', { code: wrongAppCode(owner.secret) }, { as: owner }),
        400,
      )
      const code = appCode(owner.secret)
      const proven = await post(service, '/api/reauthenticate', { code }, { as: owner })
      assertSucceeded(proven)
      assert.deepEqual(proven.body.data.methods, ['pwd', 'otp'])
      assertRefused(await post(service, '/api/reauthenticate', { code }, { as: owner }), 400)
      assertSucceeded(await del(service, '/api/authenticator-app', undefined, { as: owner }))
    })

    it('leaves nothing behind when its account is deleted', async () => {
      const owner = await someoneProtected(service)
      await passSecondStep(service, await passFirstStep(service, owner), {
        code: appCode(owner.secret),
        rememberBrowser: true,
      })
      await passFirstStep(service, owner)
      const rows = async () => {
        const tables = [
          'authenticator_apps',
          'recovery_codes',
          'second_factor_challenges',
          'remembered_browsers',
        ] as const
        const counts = tables.map(async (table) => {
          const found = await service.portico.database.query
            .selectFrom(table)
            .select('user_id')
            .where('user_id', '=', owner.userId)
            .execute()
          return found.length
        })
        return Promise.all(counts)
      }
      assert.deepEqual(await rows(), [1, 10, 1, 1])
      assertSucceeded(await del(service, '/api/delete-user', { password: PASSWORD }, { as: owner }))
      assert.deepEqual(await rows(), [0, 0, 0, 0])
    })

    for (const [name, call] of [
      ['adding an app', (as) => post(service, '/api/authenticator-app', undefined, { as })],
      ['confirming an app', (as) => post(service, '/api/authenticator-app/confirm', { code: '123456' }, { as })],
      ['removing the app', (as) => del(service, '/api/authenticator-app', undefined, { as })],
      ['turning it on', (as) => post(service, '/api/second-factor', { isRequired: true }, { as })],
      ['turning it off', (as) => post(service, '/api/second-factor', { isRequired: false }, { as })],
      ['new recovery codes', (as) => post(service, '/api/recovery-codes', undefined, { as })],
    ] as [string, (as: Awaited<ReturnType<typeof someone>>) => ReturnType<typeof get>][]) {
      it(`needs a recent proof of identity for ${name}`, async () => {
        const owner = await someoneProtected(service)
        await service.advanceTime({ minutes: 16 })
        const response = await call(owner)
        assert.deepEqual([response.status, response.body.code], [403, 'reauthentication_required'])
      })
    }
  })
})
