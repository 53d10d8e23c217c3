import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { tidy } from '../../src/housekeeping.ts'
import {
  assertAlive,
  assertEnded,
  countSessions,
  NEW_PASSWORD,
  newResetCode,
  reset,
  someone,
  tryLogIn,
} from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  del,
  eventTypes,
  fieldsOf,
  get,
  mailsTo,
  PASSWORD,
  post,
} from '../support/api.ts'
import {
  addApp,
  allowUsedSteps,
  appCode,
  assertAsksForSecondFactor,
  passFirstStep,
  passSecondStep,
  someoneProtected,
  wrongAppCode,
} from '../support/second-factor.ts'
import { onBothEngines } from '../support/service.ts'

const RECOVERY_CODE = /^[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){2}$/

describe('two-step sign-in', () => {
  onBothEngines((service) => {
    const stateOf = async (as: Parameters<typeof eventTypes>[1]) => {
      const response = await get(service, '/api/second-factor', { as })
      assertSucceeded(response)
      return response.body.data
    }
    const subjectsTo = async (email: string) =>
      (await mailsTo(service, email)).map(({ subject }) => subject.replace(/ - .*$/, ''))

    it('is off for a new account', async () => {
      const person = await someone(service)
      assert.deepEqual(await stateOf(person), {
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
      assert.equal((await stateOf(person)).authenticatorApp, null)
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

      const { isRequired, authenticatorApp, recoveryCodesLeft } = await stateOf(person)
      assert.deepEqual([isRequired, recoveryCodesLeft], [true, 10])
      assert.deepEqual([authenticatorApp.lastUsedAt, authenticatorApp.isBlocked], [null, false])
      assertAsksForSecondFactor(await tryLogIn(service, person.email, PASSWORD), ['authenticator-app', 'recovery-code'])
      assert.ok((await eventTypes(service, person)).includes('authenticator-app.added'))
      assert.ok((await subjectsTo(person.email)).includes('An authenticator app was added'))
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

    it('signs in with a code of the app, and answers as log-in does', async () => {
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
      assert.notEqual((await stateOf(owner)).authenticatorApp.lastUsedAt, null)
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

    it('signs in with a recovery code, once, however it is typed', async () => {
      const owner = await someoneProtected(service)
      const [first = '', second = ''] = owner.recoveryCodes
      const typed = first.toLowerCase().replace('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')
      assertSucceeded(await passSecondStep(service, await passFirstStep(service, owner), { recoveryCode: typed }))
      assert.equal((await stateOf(owner)).recoveryCodesLeft, 9)
      const again = await passSecondStep(service, await passFirstStep(service, owner), { recoveryCode: first })
      assertRefused(again, 400, 'The code is wrong or was used already')
      assertSucceeded(await passSecondStep(service, await passFirstStep(service, owner), { recoveryCode: second }))

      const [mail] = await mailsTo(service, owner.email)
      assert.match(mail?.subject ?? '', /^A recovery code was used/)
      assert.match(mail?.text ?? '', /8 recovery codes are left/)
      assert.ok((await eventTypes(service, owner)).includes('recovery-code.used'))
    })

    it('gives new recovery codes, which replace all others', async () => {
      const owner = await someoneProtected(service)
      const replaced = await post(service, '/api/recovery-codes', undefined, { as: owner })
      assertSucceeded(replaced)
      const { recoveryCodes } = replaced.body.data
      assert.equal(new Set([...recoveryCodes, ...owner.recoveryCodes]).size, 20)
      const challenge = await passFirstStep(service, owner)
      assertRefused(await passSecondStep(service, challenge, { recoveryCode: owner.recoveryCodes[0] as string }), 400)
      assertSucceeded(await passSecondStep(service, challenge, { recoveryCode: recoveryCodes[0] }))
      assert.ok((await eventTypes(service, owner)).includes('recovery-codes.replaced'))
      assert.ok((await subjectsTo(owner.email)).includes('Your recovery codes were replaced'))
    })

    it('gives no recovery codes while it is off', async () => {
      const person = await someone(service)
      assertRefused(await post(service, '/api/recovery-codes', undefined, { as: person }), 409)
    })

    it('is turned off and on, and keeps the app', async () => {
      const owner = await someoneProtected(service)
      const challenge = await passFirstStep(service, owner)
      const off = await post(service, '/api/second-factor', { isRequired: false }, { as: owner })
      assertSucceeded(off)
      assert.deepEqual(off.body.data, { isRequired: false, recoveryCodes: [] })
      assertRefused(await passSecondStep(service, challenge, { code: appCode(owner.secret) }), 400)
      assertSucceeded(await tryLogIn(service, owner.email, PASSWORD))
      const state = await stateOf(owner)
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
      const subjects = await subjectsTo(owner.email)
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
      assert.deepEqual(await stateOf(owner), {
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
      assert.ok((await subjectsTo(owner.email)).includes('Your authenticator app was removed'))
      assert.notDeepEqual((await addApp(service, owner)).secret, owner.secret)
    })

    it('remembers a browser for 30 days if its owner asks for it', async () => {
      const owner = await someoneProtected(service)
      const remembered = await passSecondStep(service, await passFirstStep(service, owner), {
        code: appCode(owner.secret),
        rememberBrowser: true,
      })
      assertSucceeded(remembered)
      const [line = ''] = remembered.headers.getSetCookie()
      assert.match(line, /^portico_remembered=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
      const cookie = line.split(';')[0] as string
      const logInHere = () => tryLogIn(service, owner.email, PASSWORD, { headers: { cookie } })

      assertSucceeded(await logInHere())
      assertAsksForSecondFactor(await tryLogIn(service, owner.email, PASSWORD))
      const { body } = await get(service, '/api/remembered-browsers', { as: owner, headers: { cookie } })
      const [browser] = body.data.browsers
      assert.equal(body.data.browsers.length, 1)
      assert.equal(browser.isCurrent, true)
      assert.ok((await eventTypes(service, owner)).includes('browser.remembered'))

      await service.advanceTime({ days: 29 })
      assertSucceeded(await logInHere())
      await service.advanceTime({ days: 1 })
      assertAsksForSecondFactor(await logInHere())
    })

    it('forgets one browser, or all of them', async () => {
      const owner = await someoneProtected(service)
      const cookies: string[] = []
      for (let round = 0; round < 3; round++) {
        await allowUsedSteps(service, owner)
        const { headers } = await passSecondStep(service, await passFirstStep(service, owner), {
          code: appCode(owner.secret),
          rememberBrowser: true,
        })
        cookies.push(headers.getSetCookie()[0]?.split(';')[0] as string)
      }
      const list = async () =>
        (await get(service, '/api/remembered-browsers', { as: owner, headers: { cookie: cookies[0] as string } })).body
          .data.browsers
      const { id } = (await list()).find(({ isCurrent }: { isCurrent: boolean }) => isCurrent)
      const stranger = await someone(service)
      assertRefused(await del(service, '/api/remembered-browsers', { id }, { as: stranger }), 404)
      const one = await del(service, '/api/remembered-browsers', { id }, { as: owner })
      assert.deepEqual(one.body.data, { forgotten: 1 })
      assertRefused(await del(service, '/api/remembered-browsers', { id }, { as: owner }), 404)
      const logInAt = (cookie: string) => tryLogIn(service, owner.email, PASSWORD, { headers: { cookie } })
      assertAsksForSecondFactor(await logInAt(cookies[0] as string))
      assertSucceeded(await logInAt(cookies[1] as string))

      assert.deepEqual((await del(service, '/api/remembered-browsers', {}, { as: owner })).body.data, { forgotten: 2 })
      for (const cookie of cookies) assertAsksForSecondFactor(await logInAt(cookie))
      assert.deepEqual(await list(), [])
      assert.ok((await eventTypes(service, owner)).includes('browser.forgotten'))
    })

    it('stays after a password reset, which ends challenges and forgets browsers', async () => {
      const owner = await someoneProtected(service)
      const { headers } = await passSecondStep(service, await passFirstStep(service, owner), {
        code: appCode(owner.secret),
        rememberBrowser: true,
      })
      const cookie = headers.getSetCookie()[0]?.split(';')[0] as string
      const challenge = await passFirstStep(service, owner)
      await allowUsedSteps(service, owner)
      assertSucceeded(await reset(service, owner.email, await newResetCode(service, owner.email)))

      assertRefused(await passSecondStep(service, challenge, { code: appCode(owner.secret) }), 400)
      assertAsksForSecondFactor(await tryLogIn(service, owner.email, NEW_PASSWORD, { headers: { cookie } }))
      await assertEnded(service, owner)
      const sessions = await countSessions(service, owner.userId)
      const again = await passFirstStep(service, { email: owner.email, password: NEW_PASSWORD })
      assertSucceeded(await passSecondStep(service, again, { code: appCode(owner.secret) }))
      assert.equal(await countSessions(service, owner.userId), sessions + 1)
    })

    it('stays after a password change, which ends challenges and forgets browsers', async () => {
      const owner = await someoneProtected(service)
      const { headers } = await passSecondStep(service, await passFirstStep(service, owner), {
        code: appCode(owner.secret),
        rememberBrowser: true,
      })
      const cookie = headers.getSetCookie()[0]?.split(';')[0] as string
      const challenge = await passFirstStep(service, owner)
      await allowUsedSteps(service, owner)
      assertSucceeded(
        await post(
          service,
          '/api/change-password',
          { currentPassword: PASSWORD, newPassword: NEW_PASSWORD, confirmPassword: NEW_PASSWORD },
          { as: owner },
        ),
      )
      assertRefused(await passSecondStep(service, challenge, { code: appCode(owner.secret) }), 400)
      assertAsksForSecondFactor(await tryLogIn(service, owner.email, NEW_PASSWORD, { headers: { cookie } }))
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

    it('is cleaned up: expired challenges and remembered browsers are deleted', async () => {
      const owner = await someoneProtected(service)
      await passSecondStep(service, await passFirstStep(service, owner), {
        code: appCode(owner.secret),
        rememberBrowser: true,
      })
      await passFirstStep(service, owner)
      const { database } = service.portico
      const left = async () => {
        await tidy(database)
        const of = (table: 'second_factor_challenges' | 'remembered_browsers') =>
          database.query.selectFrom(table).select('user_id').where('user_id', '=', owner.userId).execute()
        return [(await of('second_factor_challenges')).length, (await of('remembered_browsers')).length]
      }
      assert.deepEqual(await left(), [1, 1])
      await service.advanceTime({ minutes: 11 })
      assert.deepEqual(await left(), [0, 1])
      await service.advanceTime({ days: 30 })
      assert.deepEqual(await left(), [0, 0])
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
