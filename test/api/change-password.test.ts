import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CountedRequest, Counter } from '../../src/http/rate-limit.ts'
import {
  assertAlive,
  assertEnded,
  NEW_PASSWORD,
  newResetCode,
  removePassword,
  reset,
  tryLogIn,
  tryRefresh,
} from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  eventTypes,
  fieldsOf,
  get,
  linkFor,
  logIn,
  mailsTo,
  PASSWORD,
  type Person,
  post,
  signUp,
} from '../support/api.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const WRONG = 'Current password is incorrect'

describe('change-password', () => {
  onBothEngines((service) => {
    it('replaces the password', async () => {
      const person = await signUp(service)
      const response = await change(service, person)
      assertSucceeded(response)
      assert.deepEqual(Object.keys(response.body).sort(), ['message', 'requestId', 'success', 'timestamp'])
      assertRefused(await tryLogIn(service, person.email, PASSWORD), 401, 'Invalid email or password')
      assertSucceeded(await tryLogIn(service, person.email, NEW_PASSWORD))
    })

    it("ends the owner's other sessions, and keeps the current one and those of other users", async () => {
      const [own, otherUser] = [await signUp(service), await signUp(service)]
      const other = await logIn(service, own)
      assertSucceeded(await change(service, own))
      await assertEnded(service, other)
      await assertAlive(service, own)
      assertSucceeded(await tryRefresh(service, own))
      await assertAlive(service, otherUser)
      assertSucceeded(await tryLogIn(service, otherUser.email, PASSWORD))
    })

    it('invalidates the codes and links that were mailed before', async () => {
      const person = await signUp(service)
      const digits = await newResetCode(service, person.email)
      const { token } = await linkFor(service, person.email)
      assertSucceeded(await change(service, person))
      for (const code of [digits, token]) {
        assertRefused(await reset(service, person.email, code), 400, 'Invalid or expired reset token')
      }
      assertSucceeded(await tryLogIn(service, person.email, NEW_PASSWORD))
    })

    it('notifies the owner by mail and adds a security event', async () => {
      const person = await signUp(service)
      assertSucceeded(await change(service, person))
      const mails = await mailsTo(service, person.email)
      assert.equal(mails.length, 2)
      assert.equal(mails[0]?.subject, 'Your password was changed - Portico')
      assert.equal((await eventTypes(service, person))[0], 'password.changed')
    })

    it('refuses a wrong current password and ends no session', async () => {
      const person = await signUp(service)
      const other = await logIn(service, person)
      assertRefused(await change(service, person, { currentPassword: 'Wrong-Horse-7' }), 400, WRONG)
      await assertAlive(service, person)
      await assertAlive(service, other)
      await assertUnchanged(service, person)
    })

    const faulty: [string, Record<string, unknown>, string, string][] = [
      ['no current password', { currentPassword: undefined }, 'currentPassword', 'Current password is required'],
      ['an empty current password', { currentPassword: '' }, 'currentPassword', 'Current password is required'],
      ['null for the current password', { currentPassword: null }, 'currentPassword', 'Current password must be text'],
      ['passwords that differ', { confirmPassword: 'Brand-New-Horse-9' }, 'confirmPassword', 'Passwords do not match'],
      ['a short password', twice('Brand-7'), 'newPassword', 'Password must be at least 8 characters'],
      ['a weak one', twice('brand-new'), 'newPassword', 'Password must contain at least one uppercase letter'],
    ]
    for (const [what, fault, field, message] of faulty) {
      it(`refuses ${what}`, async () => {
        const person = await signUp(service)
        const response = await change(service, person, fault)
        assertRefused(response, 400, 'Validation failed')
        assert.deepEqual(fieldsOf(response), { [field]: message })
        await assertAlive(service, person)
        await assertUnchanged(service, person)
      })
    }

    it('refuses a caller who is not signed in', async () => {
      const person = await signUp(service)
      const body = { currentPassword: PASSWORD, ...twice(NEW_PASSWORD) }
      assertRefused(await post(service, '/api/change-password', body), 401)
      await assertUnchanged(service, person)
    })

    it('lets one of two concurrent changes succeed', async () => {
      const person = await signUp(service)
      const passwords = ['Parallel-Horse-1', 'Parallel-Horse-2']
      const responses = await Promise.all(passwords.map((password) => change(service, person, twice(password))))
      const won = responses.findIndex(({ status }) => status === 200)
      const [winner, loser] = won === 0 ? responses : responses.toReversed()
      assert.ok(winner && loser)
      assertSucceeded(winner)
      assertRefused(loser, 400, WRONG)
      assertSucceeded(await tryLogIn(service, person.email, passwords[won] ?? ''))
      assertRefused(await tryLogIn(service, person.email, passwords[1 - won] ?? ''), 401)
      const notices = (await mailsTo(service, person.email)).filter(({ subject }) => /was changed/.test(subject))
      assert.equal(notices.length, 1)
    })

    it('is refused when the password is reset while the current one is being checked', async (t) => {
      const person = await signUp(service)
      const code = await newResetCode(service, person.email)
      const { limits } = service.portico
      const { take } = limits
      // The change has read the old hash. Before it continues, the reset completes.
      const resetMeanwhile = async (request: CountedRequest, ...counters: Counter[]) => {
        if (counters.some(({ limit }) => limit === 'login')) {
          t.mock.restoreAll()
          assertSucceeded(await reset(service, person.email, code, 'Reset-Horse-9'))
        }
        return take(request, ...counters)
      }
      t.mock.method(limits, 'take', resetMeanwhile)
      // The reset has ended this session too.
      assertRefused(await change(service, person), 401)
      await assertEnded(service, person)
      assertRefused(await tryLogIn(service, person.email, NEW_PASSWORD), 401)
      assertSucceeded(await tryLogIn(service, person.email, 'Reset-Horse-9'))
    })

    it('sets the first password of an account without one', async () => {
      const person = await withoutPassword(service)
      assert.equal(await hasPassword(service, person), false)
      assertSucceeded(await change(service, person, { currentPassword: undefined }))
      assert.equal(await hasPassword(service, person), true)
      assertSucceeded(await tryLogIn(service, person.email, NEW_PASSWORD))
      assert.equal((await mailsTo(service, person.email))[0]?.subject, 'A password was set for your account - Portico')
      assert.ok((await eventTypes(service, person)).includes('password.set'))
      assertRefused(await change(service, person, { currentPassword: undefined }), 400, 'Validation failed')
    })

    it('applies the password rules to a first password', async () => {
      const person = await withoutPassword(service)
      const response = await change(service, person, { currentPassword: undefined, ...twice('brand-new') })
      assertRefused(response, 400, 'Validation failed')
      assert.deepEqual(Object.keys(fieldsOf(response)), ['newPassword'])
      assert.equal(await hasPassword(service, person), false)
    })

    it('lets one of two concurrent first passwords succeed', async () => {
      const person = await withoutPassword(service)
      const passwords = ['Parallel-Horse-1', 'Parallel-Horse-2']
      const responses = await Promise.all(
        passwords.map((password) => change(service, person, { currentPassword: undefined, ...twice(password) })),
      )
      assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 400])
      const tries = await Promise.all(passwords.map((password) => tryLogIn(service, person.email, password)))
      assert.deepEqual(
        tries.map(({ status }) => (status === 200 ? 200 : 400)),
        responses.map(({ status }) => status),
      )
    })
  })
})

function twice(password: string) {
  return { newPassword: password, confirmPassword: password }
}

const change = (service: Service, person: Person, overrides: Record<string, unknown> = {}) =>
  post(
    service,
    '/api/change-password',
    { currentPassword: PASSWORD, ...twice(NEW_PASSWORD), ...overrides },
    { as: person },
  )

async function withoutPassword(service: Service): Promise<Person> {
  const person = await signUp(service)
  await removePassword(service, person.email)
  return person
}

async function hasPassword(service: Service, person: Person): Promise<boolean> {
  const response = await get(service, '/api/user-details', { as: person })
  assertSucceeded(response)
  return response.body.data.user.hasPassword
}

async function assertUnchanged(service: Service, { email }: Person): Promise<void> {
  assertRefused(await tryLogIn(service, email, NEW_PASSWORD), 401)
  assertSucceeded(await tryLogIn(service, email, PASSWORD))
  const notices = (await mailsTo(service, email)).filter(({ subject }) => subject.includes('password'))
  assert.deepEqual(notices, [])
}
