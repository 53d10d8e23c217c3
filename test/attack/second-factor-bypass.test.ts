import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  assertAlike,
  assertEnded,
  countSessions,
  NEW_PASSWORD,
  newResetCode,
  reset,
  someone,
  tryLogIn,
  tryRefresh,
  verify,
} from '../support/accounts.ts'
import { assertRefused, assertSucceeded, codeFor, del, get, PASSWORD, post } from '../support/api.ts'
import { changeEmail, undoChange } from '../support/email-changes.ts'
import { PageVisitor } from '../support/page-visitor.ts'
import { PROVIDER_NAMES, visitProvider, withProviders } from '../support/providers.ts'
import {
  addApp,
  allowUsedSteps,
  appCode,
  assertAsksForSecondFactor,
  challengeOf,
  type Protected,
  passFirstStep,
  passSecondStep,
  someoneProtected,
  wrongAppCode,
} from '../support/second-factor.ts'
import { onBothEngines, type Service } from '../support/service.ts'
import { ACCEPT_HTML, begin, signedIn, signIn, visit } from '../support/sign-in-steps.ts'

/** Runs an attack and asserts that it has started no session. */
async function assertNoSession(service: Service, { userId }: { userId: string }, attack: () => Promise<unknown>) {
  const before = await countSessions(service, userId)
  await attack()
  assert.equal(await countSessions(service, userId), before)
}

/** The cookie of a browser that the owner has remembered. */
async function rememberedCookie(service: Service, owner: Protected): Promise<string> {
  const proof = { code: appCode(owner.secret), rememberBrowser: true }
  const { headers } = await passSecondStep(service, await passFirstStep(service, owner), proof)
  await allowUsedSteps(service, owner)
  return headers.getSetCookie()[0]?.split(';')[0] as string
}

describe('the second factor cannot be skipped', () => {
  onBothEngines((service) => {
    it('by the password', async () => {
      const owner = await someoneProtected(service)
      await assertNoSession(service, owner, async () =>
        assertAsksForSecondFactor(await tryLogIn(service, owner.email, PASSWORD)),
      )
    })

    it('by the password on the pages', async () => {
      const owner = await someoneProtected(service)
      await assertNoSession(service, owner, async () => {
        const visitor = new PageVisitor(service)
        const { location } = await visitor.submit('/log-in', 'log-in', { email: owner.email, password: PASSWORD })
        assert.equal(location, '/log-in/second-factor?return_to=%2Faccount')
        assert.deepEqual([...visitor.cookies.keys()], ['portico_second_factor'])
        assert.match((await visitor.get('/account')).location, /^\/log-in\?/)
      })
    })

    it('by a password reset', async () => {
      const owner = await someoneProtected(service)
      await assertNoSession(service, owner, async () => {
        const response = await reset(service, owner.email, await newResetCode(service, owner.email))
        assertSucceeded(response)
        assert.deepEqual(response.headers.getSetCookie(), [])
        assertAsksForSecondFactor(await tryLogIn(service, owner.email, NEW_PASSWORD))
      })
      await assertEnded(service, owner)
    })

    it('by a mailed code, on the API and on the pages', async () => {
      const owner = await someoneProtected(service)
      const { email } = owner
      await assertNoSession(service, owner, async () => {
        assertSucceeded(await post(service, '/api/log-in/code', { email }))
        const code = await codeFor(service, email)
        assertAsksForSecondFactor(await post(service, '/api/log-in/code/verify', { email, code }))
        const visitor = new PageVisitor(service)
        await visitor.submit('/log-in/code', 'code', { email })
        const fields = { email, code: await codeFor(service, email), return_to: '/account/data' }
        const { location } = await visitor.submit('/log-in/code/verify', 'verify', fields)
        assert.equal(location, '/log-in/second-factor?return_to=%2Faccount%2Fdata')
        assert.deepEqual([...visitor.cookies.keys()].sort(), ['portico_notice', 'portico_second_factor'])
      })
    })

    it('by a change of the e-mail address, nor by undoing it', async () => {
      const owner = await someoneProtected(service)
      // The undo removes an app that was added within a day before the change.
      await service.advanceTime({ days: 2 })
      assertSucceeded(await post(service, '/api/reauthenticate', { password: PASSWORD }, { as: owner }))
      const { newEmail, undoToken } = await changeEmail(service, owner)
      await assertNoSession(service, owner, async () => {
        assertAsksForSecondFactor(await tryLogIn(service, newEmail, PASSWORD))
        const challenge = await passFirstStep(service, { ...owner, email: newEmail })
        assertSucceeded(await undoChange(service, undoToken))
        assertRefused(await passSecondStep(service, challenge, { code: appCode(owner.secret) }), 400)
        assertSucceeded(await reset(service, owner.email, await newResetCode(service, owner.email)))
        assertAsksForSecondFactor(await tryLogIn(service, owner.email, NEW_PASSWORD))
      })
      await assertEnded(service, owner)
    })

    it('by a verification code', async () => {
      const owner = await someoneProtected(service)
      const { codes, database } = service.portico
      const { digits } = await database.transaction((tx) => codes.issue(tx, owner.userId, 'verification'))
      await assertNoSession(service, owner, async () =>
        assertAsksForSecondFactor(await verify(service, owner.email, digits)),
      )
    })

    it('by a refresh or an access with the challenge', async () => {
      const owner = await someoneProtected(service)
      const challenge = await passFirstStep(service, owner)
      await assertNoSession(service, owner, async () => {
        assertRefused(await tryRefresh(service, { ...owner, refreshToken: challenge }), 401)
        assertRefused(await get(service, '/api/user-details', { as: { ...owner, accessToken: challenge } }), 401)
      })
    })

    it('by a challenge in place of a session cookie, or an invented cookie', async () => {
      const owner = await someoneProtected(service)
      const challenge = await passFirstStep(service, owner)
      for (const cookie of [
        `portico_session=${challenge}`,
        `portico_remembered=${challenge}`,
        'portico_remembered=',
        `portico_remembered=${'A'.repeat(43)}`,
        `portico_second_factor=${challenge}`,
      ]) {
        await assertNoSession(service, owner, async () => {
          assertAsksForSecondFactor(await tryLogIn(service, owner.email, PASSWORD, { headers: { cookie } }))
          const page = await visit(service, '/account', { cookie, accept: ACCEPT_HTML })
          assert.equal(page.status, 303)
        })
      }
    })

    it('by the remembered browser of another account', async () => {
      const [owner, attacker] = [await someoneProtected(service), await someoneProtected(service)]
      const cookie = await rememberedCookie(service, attacker)
      assertSucceeded(await tryLogIn(service, attacker.email, PASSWORD, { headers: { cookie } }))
      await assertNoSession(service, owner, async () =>
        assertAsksForSecondFactor(await tryLogIn(service, owner.email, PASSWORD, { headers: { cookie } })),
      )
    })

    it('by a cookie that an attacker has planted before the owner remembers the browser', async () => {
      const owner = await someoneProtected(service)
      const planted = `portico_remembered=${'B'.repeat(43)}`
      const challenge = await passFirstStep(service, owner, { headers: { cookie: planted } })
      const proof = { code: appCode(owner.secret), rememberBrowser: true }
      const { headers } = await passSecondStep(service, challenge, proof, { headers: { cookie: planted } })
      const [line = ''] = headers.getSetCookie()
      assert.match(line, /^portico_remembered=[\w-]{43};/)
      assert.ok(!line.startsWith(planted))
      assertAsksForSecondFactor(await tryLogIn(service, owner.email, PASSWORD, { headers: { cookie: planted } }))
    })

    it('by a challenge that an attacker has planted in the browser', async () => {
      const [owner, attacker] = [await someoneProtected(service), await someoneProtected(service)]
      const visitor = new PageVisitor(service)
      const planted = await passFirstStep(service, attacker)
      visitor.cookies.set('portico_second_factor', planted)
      await visitor.submit('/log-in', 'log-in', { email: owner.email, password: PASSWORD })
      assert.notEqual(visitor.cookies.get('portico_second_factor'), planted)
      const done = await visitor.submit('/log-in/second-factor', 'code', { code: appCode(owner.secret) })
      assert.equal(done.status, 303, done.body)
      await assertNoSession(service, owner, async () =>
        assertRefused(await passSecondStep(service, planted, { code: appCode(owner.secret) }), 400),
      )
    })

    it('by the code of another account', async () => {
      const [owner, attacker] = [await someoneProtected(service), await someoneProtected(service)]
      const challenge = await passFirstStep(service, owner)
      for (const proof of [{ code: appCode(attacker.secret) }, { recoveryCode: attacker.recoveryCodes[0] as string }]) {
        await assertNoSession(service, owner, async () =>
          assertRefused(await passSecondStep(service, challenge, proof), 400, 'The code is wrong or was used already'),
        )
      }
      assertSucceeded(
        await passSecondStep(service, await passFirstStep(service, attacker), { code: appCode(attacker.secret) }),
      )
    })

    it('by a challenge that was used, has expired or is unknown', async () => {
      const owner = await someoneProtected(service)
      const [used, expired] = [await passFirstStep(service, owner), await passFirstStep(service, owner)]
      assertSucceeded(await passSecondStep(service, used, { code: appCode(owner.secret) }))
      await allowUsedSteps(service, owner)
      await service.advanceTime({ minutes: 10 })
      await assertNoSession(service, owner, async () => {
        for (const challenge of [used, expired, 'A'.repeat(43), 'x']) {
          const response = await passSecondStep(service, challenge, { code: appCode(owner.secret) })
          assertRefused(response, 400, 'This sign-in has expired: please log in again')
        }
      })
    })

    it('by a secret that was never confirmed', async () => {
      const person = await someone(service)
      const { body } = await post(service, '/api/authenticator-app', undefined, { as: person })
      const code = appCode(body.data.secret)
      assertRefused(await post(service, '/api/reauthenticate', { code }, { as: person }), 400)
      assertRefused(await del(service, '/api/authenticator-app', undefined, { as: person }), 404)
    })

    it('by a session from before: it stays, and changes nothing without a recent proof', async () => {
      const owner = await someoneProtected(service)
      await service.advanceTime({ minutes: 16 })
      const response = await del(service, '/api/authenticator-app', undefined, { as: owner })
      assert.equal(response.body.code, 'reauthentication_required')
      // The mailbox alone is no proof, because the account has other means.
      assertRefused(await post(service, '/api/reauthenticate/code', undefined, { as: owner }), 400)
    })
  })
})

describe('whether an account has a second factor', () => {
  onBothEngines((service) => {
    it('is not disclosed by the response to a wrong password, nor by a request for a code', async () => {
      const [owner, person] = [await someoneProtected(service), await someone(service)]
      const tries = async (path: string, body: object) => {
        const asked = []
        for (const { email } of [owner, person])
          asked.push({ email, response: await post(service, path, { email, ...body }) })
        assertAlike(...asked)
      }
      await tries('/api/log-in', { password: 'Wrong-Horse-7' })
      await tries('/api/forgot-password', {})
      await tries('/api/email-verification/resend', {})
      await tries('/api/email-verification', { verificationCode: '123456' })
      await tries('/api/reset-password', { resetToken: '123456', password: PASSWORD, confirmPassword: PASSWORD })
    })

    it('is not disclosed by a wrong password on the log-in page', async () => {
      const [owner, person] = [await someoneProtected(service), await someone(service)]
      const pages = []
      for (const { email } of [owner, person]) {
        const visitor = new PageVisitor(service)
        const { status, body } = await visitor.submit('/log-in', 'log-in', { email, password: 'Wrong-Horse-7' })
        assert.equal(visitor.cookies.size, 0)
        pages.push([status, body.replaceAll(email, 'EMAIL')])
      }
      assert.deepEqual(pages[0], pages[1])
    })

    it('is read only by its owner', async () => {
      const owner = await someoneProtected(service)
      assertRefused(await get(service, '/api/second-factor'), 401)
      const { body } = await get(service, '/api/second-factor', { as: await someone(service) })
      assert.equal(body.data.isRequired, false)
      assert.ok(!JSON.stringify((await get(service, '/api/second-factor', { as: owner })).body).includes(owner.secret))
    })
  })
})

describe('the second factor cannot be skipped by a provider', () => {
  withProviders((service, providers) => {
    for (const name of PROVIDER_NAMES) {
      const protectedOwner = async () => {
        const subject = providers[name].people.admit()
        return { subject, owner: await addApp(service, await signedIn(service, providers[name], subject)) }
      }

      it(`${name}, for a program`, async () => {
        const { subject, owner } = await protectedOwner()
        await assertNoSession(service, owner, async () => {
          const response = await signIn(service, providers[name], subject)
          const challenge = challengeOf(response)
          assertRefused(await passSecondStep(service, challenge, { code: wrongAppCode(owner.secret) }), 400)
        })
        const response = await signIn(service, providers[name], subject)
        const done = await passSecondStep(service, challengeOf(response), { code: appCode(owner.secret) })
        assertSucceeded(done)
        const { sessionId } = done.body.data.session
        const { auth_method, auth_methods } = await service.portico.database.query
          .selectFrom('sessions')
          .select(['auth_method', 'auth_methods'])
          .where('id', '=', sessionId)
          .executeTakeFirstOrThrow()
        assert.deepEqual([auth_method, auth_methods], [name, 'fed otp'])
      })

      it(`${name}, for a browser`, async () => {
        const { subject, owner } = await protectedOwner()
        const visitor = new PageVisitor(service)
        await assertNoSession(service, owner, async () => {
          const { authorizationUrl, cookie } = await begin(service, providers[name], { redirectTo: '/account/data' })
          const [cookieName = '', value = ''] = cookie.split('=')
          visitor.cookies.set(cookieName, value)
          const { location } = await visitor.get(await visitProvider(authorizationUrl, subject))
          assert.equal(location, '/log-in/second-factor?return_to=%2Faccount%2Fdata')
          assert.ok(!visitor.cookies.has('portico_session'))
          assert.match((await visitor.get('/account')).location, /^\/log-in\?/)
        })
        const path = '/log-in/second-factor?return_to=%2Faccount%2Fdata'
        const done = await visitor.submit(path, 'code', {
          code: appCode(owner.secret),
          return_to: '/account/data',
        })
        assert.equal(done.location, '/account/data', done.body)
        assert.equal((await visitor.get('/account/data')).status, 200)
        assert.ok(!visitor.cookies.has('portico_second_factor'))
      })
    }
  })
})
