import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  NEW_PASSWORD,
  newResetCode,
  newVerificationCode,
  refreshed,
  register,
  removePassword,
  reset,
  tryLogIn,
  tryRefresh,
  verify,
} from '../support/accounts.ts'
import {
  type ApiResponse,
  assertRefused,
  assertSucceeded,
  del,
  eventTypes,
  get,
  logIn,
  PASSWORD,
  type Person,
  post,
  signUp,
} from '../support/api.ts'
import { onBothEngines } from '../support/service.ts'

const newPassword = { newPassword: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }

describe('recorded security events', () => {
  onBothEngines((service) => {
    it('begin with the account, its verification and its first session', async () => {
      const { email, code, userId } = await register(service)
      const unverified = await service.portico.database.query
        .selectFrom('security_events')
        .select('type')
        .where('user_id', '=', userId)
        .execute()
      assert.deepEqual(
        unverified.map(({ type }) => type),
        ['account.created'],
      )
      assertSucceeded(await verify(service, email, code))
      const person = await logIn(service, { email, password: PASSWORD })
      assert.deepEqual(await eventTypes(service, person), [
        'session.started',
        'session.started',
        'email.verified',
        'account.created',
      ])
    })

    // Each does one thing to an account and ends with a session that can read the events.
    const operations: [string, string[], (person: Person) => Promise<Person>][] = [
      ['a log-in', ['session.started'], (person) => logIn(service, person)],
      [
        'a profile update',
        ['profile.updated'],
        (as) => doing(as, post(service, '/api/user-details', { bio: 'x' }, { as })),
      ],
      [
        'a username change',
        ['username.changed'],
        (as) => doing(as, post(service, '/api/change-username', { username: `u${randomUUID().slice(0, 8)}` }, { as })),
      ],
      [
        'an avatar',
        ['avatar.set'],
        (as) => doing(as, post(service, '/api/upload-avatar', { avatar: 'https://example.com/a.png' }, { as })),
      ],
      ['no avatar', ['avatar.removed'], (as) => doing(as, del(service, '/api/upload-avatar', undefined, { as }))],
      [
        'a password change',
        ['password.changed'],
        (as) => doing(as, post(service, '/api/change-password', { currentPassword: PASSWORD, ...newPassword }, { as })),
      ],
      [
        'a first password',
        ['password.set'],
        async (as) => {
          await removePassword(service, as.email)
          return doing(as, post(service, '/api/change-password', newPassword, { as }))
        },
      ],
      [
        'a forgotten password',
        ['password.reset-requested'],
        (as) => doing(as, post(service, '/api/forgot-password', { email: as.email })),
      ],
      [
        'a password reset and a log-in with it',
        ['session.started', 'password.reset', 'password.reset-requested'],
        async ({ email }) => {
          assertSucceeded(await reset(service, email, await newResetCode(service, email)))
          return logIn(service, { email, password: NEW_PASSWORD })
        },
      ],
      [
        'a revoked session',
        ['session.revoked', 'session.started'],
        async (as) => {
          const { sessionId } = await logIn(service, as)
          return doing(as, del(service, '/api/sessions', { sessionId }, { as }))
        },
      ],
      [
        'a log-out',
        ['session.ended', 'session.started'],
        async (as) => doing(await logIn(service, as), post(service, '/api/auth/logout', undefined, { as })),
      ],
      [
        'a stolen refresh token',
        ['session.token-reused', 'session.started'],
        async (as) => {
          const other = await logIn(service, as)
          await refreshed(service, await refreshed(service, as))
          assertRefused(await tryRefresh(service, as), 401)
          return other
        },
      ],
      [
        'a log-in with a wrong password',
        ['log-in.failed'],
        async (as) => {
          assertRefused(await tryLogIn(service, as.email, 'Wrong-Horse-7'), 401)
          return as
        },
      ],
      [
        'a wrong current password',
        ['password.refused'],
        async (as) => {
          const wrong = { currentPassword: 'Wrong-Horse-7', ...newPassword }
          assertRefused(await post(service, '/api/change-password', wrong, { as }), 400)
          return as
        },
      ],
      [
        'a deletion with a wrong password',
        ['password.refused'],
        async (as) => {
          assertRefused(await del(service, '/api/delete-user', { password: 'Wrong-Horse-7' }, { as }), 400)
          return as
        },
      ],
      ['an exchange of tokens', [], (person) => refreshed(service, person)],
      [
        'a second verification',
        [],
        async (as) => {
          await post(service, '/api/email-verification/resend', { email: as.email })
          return as
        },
      ],
    ]
    async function doing(then: Person, response: Promise<ApiResponse>): Promise<Person> {
      assertSucceeded(await response)
      return then
    }
    for (const [what, types, operation] of operations) {
      it(`of ${what} are: ${types.join(', ') || 'none'}`, async () => {
        const person = await signUp(service)
        const before = await eventTypes(service, person)
        const reader = await operation(person)
        await service.portico.refusedProofs.idle()
        assert.deepEqual(await eventTypes(service, reader), [...types, ...before])
      })
    }

    it('include a request for another verification code', async () => {
      const { email } = await register(service)
      assertSucceeded(await verify(service, email, await newVerificationCode(service, email)))
      const person = await logIn(service, { email, password: PASSWORD })
      assert.ok((await eventTypes(service, person)).includes('email.verification-requested'))
    })

    it('do not include reads and refused requests', async () => {
      const person = await signUp(service)
      const before = await eventTypes(service, person)
      await get(service, '/api/sessions', { as: person })
      await get(service, '/api/change-username?username=somebody', { as: person })
      assertRefused(await post(service, '/api/upload-avatar', { avatar: 'no url' }, { as: person }), 400)
      await service.portico.refusedProofs.idle()
      assert.deepEqual(await eventTypes(service, person), before)
    })
  })
})
