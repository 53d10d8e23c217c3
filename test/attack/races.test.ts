import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countSessions, crowd, newResetCode, register, reset, someone, tryLogIn, verify } from '../support/accounts.ts'
import {
  type ApiResponse,
  assertRefused,
  assertSucceeded,
  mailsTo,
  newEmail,
  post,
  registration,
} from '../support/api.ts'
import { onBothEngines } from '../support/service.ts'

const CONCURRENCY = 64

function allAtOnce<T>(start: (number: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: CONCURRENCY }, (_, number) => start(number)))
}

/** Exactly one request succeeded, and all others got the same error. Returns the index of the one. */
function assertOneWinner(
  responses: ApiResponse[],
  success: number,
  refusal: [status: number, message: string],
): number {
  assert.equal(responses.length, CONCURRENCY)
  const winner = responses.findIndex(({ status }) => status === success)
  for (const [number, response] of responses.entries()) {
    if (number === winner) assertSucceeded(response, success)
    else assertRefused(response, ...refusal)
  }
  assert.notEqual(winner, -1)
  return winner
}

/** One text in many spellings that differ in case only. */
function spelling(text: string, number: number): string {
  return [...text].map((letter, at) => (number & (1 << (at % 6)) ? letter.toUpperCase() : letter)).join('')
}

describe(`of ${CONCURRENCY} concurrent requests`, () => {
  onBothEngines((service) => {
    const accountOf = async (userId: string) => {
      const account = await service.portico.store.findById(userId)
      assert.ok(account)
      return account
    }

    it('one registers an address, however its case is varied', async () => {
      const email = newEmail()
      const responses = await allAtOnce((number) =>
        post(service, '/api/create-account', registration({ email: spelling(email, number) })),
      )
      const winner = assertOneWinner(responses, 201, [409, 'Email already registered'])

      const rows = await service.portico.database.query
        .selectFrom('users')
        .select(['id', 'email'])
        .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', email))
        .execute()
      assert.deepEqual(
        rows.map((row) => [row.id, row.email]),
        [[responses[winner]?.body.data.userId, email]],
      )
      assert.equal((await mailsTo(service, email)).length, 1)
    })

    it('one of as many users gets a username, and the others keep their one change', async () => {
      const people = await crowd(service, CONCURRENCY)
      const wanted = 'wanted-by-all'
      const responses = await allAtOnce((number) =>
        post(service, '/api/change-username', { username: spelling(wanted, number) }, { as: people[number] }),
      )
      const winner = assertOneWinner(responses, 200, [409, 'Username is already taken'])

      for (const [number, { userId }] of people.entries()) {
        const { username, username_key, has_changed_username } = await accountOf(userId)
        assert.equal(has_changed_username, number === winner ? 1 : 0)
        assert.equal(username_key === wanted, number === winner)
        if (number === winner) assert.equal(username, spelling(wanted, number))
      }
      const loser = people[(winner + 1) % CONCURRENCY]
      assertSucceeded(await post(service, '/api/change-username', { username: 'second-choice' }, { as: loser }))
    })

    it('one changes the username of a user who requests as many', async () => {
      const person = await someone(service)
      const responses = await allAtOnce((number) =>
        post(service, '/api/change-username', { username: `choice-${number}` }, { as: person }),
      )
      const winner = assertOneWinner(responses, 200, [403, 'You have already changed your username'])
      assert.equal((await accountOf(person.userId)).username, `choice-${winner}`)
    })

    it('one uses a verification code and begins a session', async () => {
      const { userId, email, code } = await register(service)
      const responses = await allAtOnce(() => verify(service, email, code))
      assertOneWinner(responses, 200, [400, 'Invalid or expired verification code'])
      assert.equal(await countSessions(service, userId), 1)
      assert.equal((await mailsTo(service, email)).length, 1)
    })

    it('one uses a reset code, and its password is stored', async () => {
      const { email } = await someone(service)
      const code = await newResetCode(service, email)
      const password = (number: number) => `New-Password-${number}`
      const responses = await allAtOnce((number) => reset(service, email, code, password(number)))
      const winner = assertOneWinner(responses, 200, [400, 'Invalid or expired reset token'])

      assert.deepEqual(
        (await mailsTo(service, email)).map(({ subject }) => subject),
        ['Your password was reset - Portico', 'Reset your password - Portico'],
      )
      assertSucceeded(await tryLogIn(service, email, password(winner)))
      assertRefused(await tryLogIn(service, email, password((winner + 1) % CONCURRENCY)), 401)
    })

    for (const purpose of ['verification', 'reset'] as const) {
      it(`at most five wrong ${purpose} codes are compared: the right one is refused afterwards`, async () => {
        const { userId, email, code } = await register(service)
        const right = purpose === 'verification' ? code : await newResetCode(service, email)
        const attempt = (tried: string) =>
          purpose === 'verification' ? verify(service, email, tried) : reset(service, email, tried)
        const wrong = (number: number) => String((Number(right) + 1 + number) % 1_000_000).padStart(6, '0')

        for (const response of await allAtOnce((number) => attempt(wrong(number)))) assertRefused(response, 400)
        const { tries_left } = await service.portico.database.query
          .selectFrom('codes')
          .select('tries_left')
          .where('user_id', '=', userId)
          .where('purpose', '=', purpose)
          .executeTakeFirstOrThrow()
        assert.equal(tries_left, 0)
        assertRefused(await attempt(right), 400)
        assert.equal((await accountOf(userId)).email_verified_at, null)
        assert.equal(await countSessions(service, userId), 0)
      })
    }
  })
})
