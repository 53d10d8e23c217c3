import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it, type TestContext } from 'node:test'
import { register, rowsNaming, someone, tryLogIn, tryRefresh } from '../support/accounts.ts'
import {
  assertHandled,
  assertRefused,
  assertSucceeded,
  call,
  del,
  get,
  mailsTo,
  PASSWORD,
  type Person,
  post,
  registration,
} from '../support/api.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const NOTHING = { users: 0, sessions: 0, known_devices: 0, codes: 0, security_events: 0, outbox: 0 }

/** Deletes the account at the worst moment: the request has passed all checks and has written nothing yet. */
function deleteBeforeWriting({ mock }: TestContext, { portico: { database } }: Service, userId: string) {
  const { transaction } = database
  const withdrawn: typeof transaction = async (work) => {
    await database.query.deleteFrom('users').where('id', '=', userId).execute()
    return transaction(work)
  }
  return mock.method(database, 'transaction', withdrawn).mock
}

describe('deleting an account during its requests', () => {
  onBothEngines((service) => {
    it('leaves no row when clients log in, refresh and read at the same moment', async () => {
      const person = await someone(service)
      const uses = () =>
        Array.from({ length: 8 }, () => [
          tryLogIn(service, person.email, person.password),
          tryRefresh(service, person),
          get(service, '/api/user-details', { as: person }),
          post(service, '/api/user-details', { bio: 'still here' }, { as: person }),
        ]).flat()
      const before = uses()
      const deletion = del(service, '/api/delete-user', { password: PASSWORD }, { as: person })
      const responses = await Promise.all([...before, ...uses()])
      assertSucceeded(await deletion)
      for (const response of responses) assertHandled(response, [200, 401])

      assert.deepEqual(await rowsNaming(service, person), NOTHING)
      for (const { body } of responses.filter(({ body }) => body.data?.session)) {
        const { accessToken, session } = body.data
        assertRefused(await get(service, '/api/user-details', { as: { accessToken, ...session } }), 401)
      }
      const anew = await post(service, '/api/create-account', registration({ email: person.email }))
      assertSucceeded(anew, 201)
      assert.notEqual(anew.body.data.userId, person.userId)
    })

    const signedIn: [method: string, path: string, body?: unknown][] = [
      ['POST', '/api/user-details', { bio: 'still here' }],
      ['POST', '/api/upload-avatar', { avatar: 'https://example.com/me.png' }],
      ['DELETE', '/api/upload-avatar'],
      ['POST', '/api/change-username', { username: 'still-here' }],
      ['POST', '/api/change-password', passwords('newPassword', { currentPassword: PASSWORD })],
      ['DELETE', '/api/delete-user', { password: PASSWORD }],
      ['DELETE', '/api/sessions', { sessionId: randomUUID() }],
    ]
    for (const [method, path, body] of signedIn) {
      it(`makes ${method} ${path} fail when the account is deleted before the write`, async (t) => {
        const person = await someone(service)
        const transactions = deleteBeforeWriting(t, service, person.userId)
        const response = await call(service, method, path, body, { as: person })
        assert.equal(transactions.callCount(), 1)
        assertHandled(response, [400, 401, 403, 404])
        await assertNothingLeft(person)
      })
    }

    it('lets a log-out succeed when the account is deleted before the write', async (t) => {
      const person = await someone(service)
      const transactions = deleteBeforeWriting(t, service, person.userId)
      assertHandled(await post(service, '/api/auth/logout', undefined, { as: person }), [200, 401])
      assert.equal(transactions.callCount(), 1)
      await assertNothingLeft(person)
    })

    it('prevents a session when the account is deleted during the password check', async (t) => {
      const person = await someone(service)
      deleteBeforeWriting(t, service, person.userId)
      assertRefused(await tryLogIn(service, person.email, person.password), 401, 'Invalid email or password')
      await assertNothingLeft(person)
    })

    it('leaves the response of forgot-password unchanged when the account is deleted before the write', async (t) => {
      const person = await someone(service)
      const transactions = deleteBeforeWriting(t, service, person.userId)
      assertSucceeded(await post(service, '/api/forgot-password', { email: person.email }))
      assert.equal(transactions.callCount(), 1)
      await assertNothingLeft(person)
    })

    it('leaves the response of resend unchanged when the account is deleted before the write', async (t) => {
      const account = await register(service)
      const transactions = deleteBeforeWriting(t, service, account.userId)
      assertSucceeded(await post(service, '/api/email-verification/resend', { email: account.email }))
      assert.equal(transactions.callCount(), 1)
      assert.deepEqual(await rowsNaming(service, account), NOTHING)
      assert.equal((await mailsTo(service, account.email)).length, 1)
    })

    it('makes a code invalid when the account is deleted before the code is compared', async (t) => {
      const { userId, email, code } = await register(service)
      deleteBeforeWriting(t, service, userId)
      const reset = passwords('password', { email, resetToken: code })
      assertRefused(await post(service, '/api/email-verification', { email, verificationCode: code }), 400)
      assertRefused(await post(service, '/api/reset-password', reset), 400)
      assert.deepEqual(await rowsNaming(service, { userId, email }), NOTHING)
    })

    async function assertNothingLeft(person: Person): Promise<void> {
      assert.deepEqual(await rowsNaming(service, person), NOTHING)
      assert.deepEqual(await mailsTo(service, person.email), [])
    }
  })
})

function passwords(field: string, others: Record<string, string>) {
  return { ...others, [field]: 'Another-Horse-8', confirmPassword: 'Another-Horse-8' }
}
