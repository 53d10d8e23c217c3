import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deleteExpiredRows } from '../../src/housekeeping.ts'
import {
  assertEnded,
  countSessions,
  NEW_PASSWORD,
  newResetCode,
  reset,
  someone,
  tryLogIn,
} from '../support/accounts.ts'
import { assertRefused, assertSucceeded, del, eventTypes, get, PASSWORD, post } from '../support/api.ts'
import {
  allowUsedSteps,
  appCode,
  assertAsksForSecondFactor,
  passFirstStep,
  passSecondStep,
  someoneProtected,
} from '../support/second-factor.ts'
import { onBothEngines } from '../support/service.ts'

describe('two-step sign-in and remembered browsers', () => {
  onBothEngines((service) => {
    /** A person with a remembered browser, and with another sign-in that waits for its second factor. */
    async function someoneRemembered() {
      const owner = await someoneProtected(service)
      const { headers } = await passSecondStep(service, await passFirstStep(service, owner), {
        code: appCode(owner.secret),
        rememberBrowser: true,
      })
      const cookie = headers.getSetCookie()[0]?.split(';')[0] as string
      const challenge = await passFirstStep(service, owner)
      await allowUsedSteps(service, owner)
      return { owner, cookie, challenge }
    }

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
      const { owner, cookie, challenge } = await someoneRemembered()
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
      const { owner, cookie, challenge } = await someoneRemembered()
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

    it('is cleaned up: expired challenges and remembered browsers are deleted', async () => {
      const owner = await someoneProtected(service)
      await passSecondStep(service, await passFirstStep(service, owner), {
        code: appCode(owner.secret),
        rememberBrowser: true,
      })
      await passFirstStep(service, owner)
      const { database } = service.portico
      const left = async () => {
        await deleteExpiredRows(database)
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
  })
})
