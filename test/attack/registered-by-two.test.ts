import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deleteExpiredRows } from '../../src/housekeeping.ts'
import { newVerificationCode, register, tryLogIn, verify } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, linkFor, newEmail, PASSWORD, post, registration } from '../support/api.ts'
import { fieldValue, PageVisitor } from '../support/page-visitor.ts'
import {
  ATTACKER,
  assertNothingOfAttacker,
  assertOwnerAlone,
  OWNER,
  ordersUpTo,
} from '../support/registration-orders.ts'
import { onBothEngines } from '../support/service.ts'

const CONCURRENCY = 16

describe('an address that its owner and an attacker register', () => {
  onBothEngines((service) => {
    it('belongs to its owner alone, after every order of three steps and a proof of the mailbox', async () => {
      const orders = ordersUpTo(3)
      assert.equal(orders.length, 38)
      await Promise.all(orders.map((order) => assertOwnerAlone(service, order)))
    })

    const create = (email: string, person: object) =>
      post(service, '/api/create-account', registration({ ...person, email }))

    it('keeps the password of its owner, who sends the same registration again', async () => {
      const { email, code, password, confirmPassword, firstName, lastName } = await register(service)
      const same = { password, confirmPassword, firstName, lastName }
      await Promise.all([1, 2, 3].map(async () => assertRefused(await create(email, same), 409)))
      assertSucceeded(await verify(service, email, code))
      assertSucceeded(await tryLogIn(service, email, password))
    })

    it('keeps its password when an identical registration is sent several times concurrently', async () => {
      const email = newEmail()
      const responses = await Promise.all([1, 2, 3, 4].map(() => create(email, OWNER)))
      assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 409, 409, 409])
      assertSucceeded(await verify(service, email, await newVerificationCode(service, email)))
      assertSucceeded(await tryLogIn(service, email, PASSWORD))
    })

    for (const different of [{ firstName: 'Mallory' }, { lastName: 'Malicious' }]) {
      it(`loses its names when only ${Object.keys(different)} differs`, async () => {
        const { email } = await register(service, { ...OWNER, ...different })
        assertRefused(await create(email, OWNER), 409)
        const response = await verify(service, email, await newVerificationCode(service, email))
        assertSucceeded(response)
        assert.doesNotMatch(JSON.stringify(response.body.data.user), /mal/i)
      })
    }

    it(`belongs to its owner after ${CONCURRENCY} concurrent registrations`, async () => {
      const email = newEmail()
      const people = Array.from({ length: CONCURRENCY }, (_, number) => (number === CONCURRENCY - 1 ? OWNER : ATTACKER))
      const responses = await Promise.all(people.map((person) => create(email, person)))
      assert.equal(responses.filter(({ status }) => status === 201).length, 1)
      assertSucceeded(await verify(service, email, await newVerificationCode(service, email)))
      await assertNothingOfAttacker(service, email)
    })

    it(`belongs to its owner after ${CONCURRENCY} registrations and resends that race the verification`, async () => {
      for (const first of [ATTACKER, OWNER]) {
        const { email } = await register(service, first)
        assertRefused(await create(email, first === OWNER ? ATTACKER : OWNER), 409)
        const { token } = await linkFor(service, email)
        const racing = Array.from({ length: CONCURRENCY }, (_, number) =>
          number % 2 ? create(email, ATTACKER) : post(service, '/api/email-verification/resend', { email }),
        )
        const verified = await verify(service, email, token)
        await Promise.all(racing)
        // A resend that came first has ended the link.
        if (verified.status !== 200) {
          assertRefused(verified, 400, 'Invalid or expired verification code')
          assertSucceeded(await verify(service, email, (await linkFor(service, email)).token))
        }
        await assertNothingOfAttacker(service, email)
      }
    })

    it('is not released to the attacker while its owner looks for the code', async () => {
      const { email } = await register(service, ATTACKER)
      await service.advanceTime({ days: 6, hours: 23 })
      assertRefused(await create(email, OWNER), 409)
      await service.advanceTime({ hours: 2 })
      await deleteExpiredRows(service.portico.database)
      assertRefused(await create(email, ATTACKER), 409)
      assertSucceeded(await verify(service, email, await newVerificationCode(service, email)))
      await assertNothingOfAttacker(service, email)
    })

    it('on the pages leads its owner to a new password, with the reason', async () => {
      const email = newEmail()
      const attacker = new PageVisitor(service)
      assert.equal((await attacker.submit('/sign-up', 'sign-up', { ...ATTACKER, email })).status, 303)
      const owner = new PageVisitor(service)
      const taken = await owner.submit('/sign-up', 'sign-up', { ...OWNER, email })
      assert.equal(taken.status, 409)
      for (const path of ['/log-in', '/forgot-password', '/verify-email'])
        assert.ok(taken.body.includes(`href="${path}?`))
      await service.portico.deliveryWorker.idle()
      assert.equal((await owner.submit('/verify-email', 'resend', { email })).status, 303)

      const link = await linkFor(service, email)
      const opened = await owner.get(link.path)
      const fields = { email, verificationCode: fieldValue(opened.body, 'verificationCode') ?? '' }
      const verified = await owner.submit(link.path, 'verify', fields)
      assert.equal(verified.location, '/account/security')
      const page = await owner.get('/account/security')
      assert.match(page.body, /role="status">[^<]*More than one person may have signed up[^<]*set a password/)
      assert.doesNotMatch(page.body, /mal/i)
      const chosen = { newPassword: PASSWORD, confirmPassword: PASSWORD }
      assert.equal((await owner.submit('/account/security', 'password', chosen)).status, 303)
      assertSucceeded(await tryLogIn(service, email, PASSWORD))
      await assertNothingOfAttacker(service, email)
    })

    it('on the pages belongs to its owner who chooses a new password', async () => {
      const email = newEmail()
      await new PageVisitor(service).submit('/sign-up', 'sign-up', { ...ATTACKER, email })
      const owner = new PageVisitor(service)
      await service.portico.deliveryWorker.idle()
      await owner.submit('/forgot-password', 'forgot', { email })
      const link = await linkFor(service, email)
      const opened = await owner.get(link.path)
      assert.equal(fieldValue(opened.body, 'email'), email)
      const resetToken = fieldValue(opened.body, 'resetToken') ?? ''
      const fields = { email, resetToken, password: PASSWORD, confirmPassword: PASSWORD }
      assert.equal((await owner.submit(link.path, 'reset', fields)).status, 303)
      assertSucceeded(await tryLogIn(service, email, PASSWORD))
      await assertNothingOfAttacker(service, email)
    })
  })
})
