import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import {
  assertAlive,
  assertEnded,
  countSessions,
  NEW_PASSWORD,
  newResetCode,
  otherThan,
  register,
  removePassword,
  reset,
  tryLogIn,
  verify,
} from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  eventTypes,
  fieldsOf,
  logIn,
  mailsTo,
  PASSWORD,
  post,
  signUp,
} from '../support/api.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const REFUSAL = 'Invalid or expired reset token'

describe('reset-password', () => {
  onBothEngines((service) => {
    it('replaces the password and starts no session', async () => {
      const { email, userId } = await signUp(service)
      const response = await reset(service, email, await newResetCode(service, email))
      assertSucceeded(response)
      assert.deepEqual(Object.keys(response.body).sort(), ['message', 'requestId', 'success', 'timestamp'])
      assert.equal(await countSessions(service, userId), 1)
      assertRefused(await tryLogIn(service, email, PASSWORD), 401, 'Invalid email or password')
      assertSucceeded(await tryLogIn(service, email, NEW_PASSWORD))
    })

    it('ends every session of the account, and no other', async () => {
      const [first, otherUser] = [await signUp(service), await signUp(service)]
      const second = await logIn(service, first)
      assertSucceeded(await reset(service, first.email, await newResetCode(service, first.email)))
      await assertEnded(service, first)
      await assertEnded(service, second)
      await assertAlive(service, otherUser)
      assertSucceeded(await tryLogIn(service, otherUser.email, PASSWORD))
    })

    it('notifies the owner by mail and adds a security event', async () => {
      const { email } = await signUp(service)
      assertSucceeded(await reset(service, email, await newResetCode(service, email)))
      const mails = await mailsTo(service, email)
      assert.equal(mails.length, 3)
      assert.equal(mails[0]?.subject, 'Your password was reset - Portico')
      const events = await eventTypes(service, await logIn(service, { email, password: NEW_PASSWORD }))
      assert.deepEqual(events.slice(0, 3), ['session.started', 'password.reset', 'password.reset-requested'])
    })

    it('verifies an unverified account, and invalidates its verification code', async () => {
      const { email, code, userId } = await register(service)
      assertSucceeded(await reset(service, email, await newResetCode(service, email)))
      assertRefused(await verify(service, email, code), 400)
      assert.equal(await countSessions(service, userId), 0)
      assertSucceeded(await tryLogIn(service, email, NEW_PASSWORD))
    })

    it('sets the first password of an account without one', async () => {
      const { email } = await signUp(service)
      await removePassword(service, email)
      assertSucceeded(await reset(service, email, await newResetCode(service, email)))
      assertSucceeded(await tryLogIn(service, email, NEW_PASSWORD))
    })

    it('accepts the address in any case and the code with surrounding blanks', async () => {
      const { email } = await signUp(service)
      assertSucceeded(await reset(service, ` ${email.toUpperCase()} `, ` ${await newResetCode(service, email)} `))
    })

    it('changes nothing with a wrong code', async () => {
      const person = await signUp(service)
      const code = await newResetCode(service, person.email)
      assertRefused(await reset(service, person.email, otherThan(code)), 400, REFUSAL)
      await assertAlive(service, person)
      await assertUnchanged(service, person.email)
      assert.equal((await mailsTo(service, person.email)).length, 2)
    })

    it('refuses the code after ten minutes, and not before', async () => {
      const [late, inTime] = [await signUp(service), await signUp(service)]
      const [lateCode, code] = [await newResetCode(service, late.email), await newResetCode(service, inTime.email)]
      await service.advanceTime({ minutes: 9, seconds: 50 })
      assertSucceeded(await reset(service, inTime.email, code))
      await service.advanceTime({ seconds: 10 })
      assertRefused(await reset(service, late.email, lateCode), 400, REFUSAL)
      await assertUnchanged(service, late.email)
    })

    it('succeeds when the account is verified at the same moment, and that session ends or never begins', async (t) => {
      for (let round = 0; round < 8; round++) {
        const { email, password, userId, code } = await register(service)
        const resetCode = await newResetCode(service, email)
        synchronizeTransactions(t, service)
        const [verified, done] = await Promise.all([verify(service, email, code), reset(service, email, resetCode)])
        t.mock.restoreAll()
        assertSucceeded(done)
        if (verified.status === 200) {
          const { accessToken, refreshToken, session } = verified.body.data
          await assertEnded(service, { email, password, userId, accessToken, refreshToken, ...session })
        } else {
          assertRefused(verified, 400)
          assert.equal(await countSessions(service, userId), 0)
        }
        assertSucceeded(await tryLogIn(service, email, NEW_PASSWORD))
      }
    })

    it('reports every missing field', async () => {
      const response = await post(service, '/api/reset-password', {})
      assertRefused(response, 400, 'Validation failed')
      assert.deepEqual(Object.keys(fieldsOf(response)).sort(), ['confirmPassword', 'email', 'password', 'resetToken'])
    })

    const faulty: [string, Record<string, unknown>, Record<string, string>][] = [
      [
        'passwords that differ',
        { confirmPassword: 'Brand-New-Horse-9' },
        { confirmPassword: 'Passwords do not match' },
      ],
      [
        'a weak password',
        twice('brand-new-horse'),
        { password: 'Password must contain at least one uppercase letter' },
      ],
      ['a short password', twice('Brand-7'), { password: 'Password must be at least 8 characters' }],
    ]
    for (const [what, fault, fields] of faulty) {
      it(`refuses ${what}, and leaves the password and the code unchanged`, async () => {
        const person = await signUp(service)
        const { email } = person
        const resetToken = await newResetCode(service, email)
        for (let round = 0; round < 6; round++) {
          const response = await post(service, '/api/reset-password', {
            email,
            resetToken,
            ...twice(NEW_PASSWORD),
            ...fault,
          })
          assertRefused(response, 400, 'Validation failed')
          assert.deepEqual(fieldsOf(response), fields)
        }
        await assertAlive(service, person)
        await assertUnchanged(service, email)
        assertSucceeded(await reset(service, email, resetToken))
      })
    }
  })
})

function twice(password: string) {
  return { password, confirmPassword: password }
}

/** Two requests reach the database at the same time, however long each took before. */
function synchronizeTransactions(t: TestContext, { portico: { database } }: Service): void {
  const { transaction } = database
  const bothAreThere = Promise.withResolvers<void>()
  let waiting = 0
  t.mock.method(database, 'transaction', async (work: Parameters<typeof transaction>[0]) => {
    waiting += 1
    if (waiting === 2) bothAreThere.resolve()
    await bothAreThere.promise
    return transaction(work)
  })
}

async function assertUnchanged(service: Service, email: string): Promise<void> {
  assertRefused(await tryLogIn(service, email, NEW_PASSWORD), 401)
  assertSucceeded(await tryLogIn(service, email, PASSWORD))
}
