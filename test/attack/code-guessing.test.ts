import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  countSessions,
  newResetCode,
  newVerificationCode,
  otherThan,
  register,
  reset,
  tryLogIn,
  verify,
} from '../support/accounts.ts'
import { type ApiResponse, assertRefused, assertSucceeded, newEmail } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { onBothEngines, type Service, startOn, temporaryDatabase } from '../support/service.ts'

interface Kind {
  refusal: string
  issue(service: Service, email: string): Promise<string>
  use(service: Service, email: string, code: string): Promise<ApiResponse>
}

const KINDS: Record<'verification' | 'reset', Kind> = {
  verification: { refusal: 'Invalid or expired verification code', issue: newVerificationCode, use: verify },
  reset: { refusal: 'Invalid or expired reset token', issue: newResetCode, use: reset },
}

describe('guessing', () => {
  onBothEngines((service, engine) => {
    for (const purpose of ['verification', 'reset'] as const) {
      const { refusal, issue, use } = KINDS[purpose]
      const other = KINDS[purpose === 'reset' ? 'verification' : 'reset']
      const assertNoUse = async (email: string, code: string) =>
        assertRefused(await use(service, email, code), 400, refusal)
      const guess = async (email: string, code: string, times: number) => {
        for (let round = 0; round < times; round++) await assertNoUse(email, otherThan(code))
      }

      it(`a ${purpose} code may succeed at the fifth try`, async () => {
        const { email } = await register(service)
        const code = await issue(service, email)
        await guess(email, code, 4)
        assertSucceeded(await use(service, email, code))
      })

      it(`a ${purpose} code fails at the sixth try, even with the right one`, async () => {
        const account = await register(service)
        const code = await issue(service, account.email)
        await guess(account.email, code, 5)
        await assertNoUse(account.email, code)
        await assertNothingGained(service, account)
      })

      it(`a ${purpose} code may succeed at the fifteenth try of an hour, across codes`, async () => {
        const { email } = await register(service)
        for (const tries of [5, 5]) await guess(email, await issue(service, email), tries)
        const code = await issue(service, email)
        await guess(email, code, 4)
        assertSucceeded(await use(service, email, code))
      })

      it(`a ${purpose} code fails after fifteen wrong tries of either kind, until an hour has passed`, async () => {
        const [account, bystander] = [await register(service), await register(service)]
        const { email } = account
        const others = await other.issue(service, email)
        for (let round = 0; round < 5; round++) {
          assertRefused(await other.use(service, email, otherThan(others)), 400, other.refusal)
        }
        for (const tries of [5, 5]) await guess(email, await issue(service, email), tries)
        await assertNoUse(email, await issue(service, email))
        assertRefused(await other.use(service, email, await other.issue(service, email)), 400, other.refusal)
        await assertNothingGained(service, account)
        assertSucceeded(await use(service, bystander.email, await issue(service, bystander.email)))

        await service.advanceTime({ minutes: 59 })
        await assertNoUse(email, await issue(service, email))
        await service.advanceTime({ minutes: 1 })
        assertSucceeded(await use(service, email, await issue(service, email)))
      })

      it(`a ${purpose} code is refused for another purpose, and stays valid for its own`, async () => {
        const account = await register(service)
        const code = await issue(service, account.email)
        assertRefused(await other.use(service, account.email, code), 400, other.refusal)
        await assertNothingGained(service, account)
        assertSucceeded(await use(service, account.email, code))
      })

      it(`a ${purpose} code is refused for another account`, async () => {
        const [victim, attacker] = [await register(service), await register(service)]
        await issue(service, victim.email)
        await assertNoUse(victim.email, await issue(service, attacker.email))
        await assertNothingGained(service, victim)
      })

      it(`a ${purpose} code works once`, async () => {
        const { email, userId } = await register(service)
        const code = await issue(service, email)
        assertSucceeded(await use(service, email, code))
        const sessions = await countSessions(service, userId)
        await assertNoUse(email, code)
        assert.equal(await countSessions(service, userId), sessions)
      })

      it(`a ${purpose} code for an unknown address is refused like a wrong code`, () =>
        assertNoUse(newEmail(), '123456'))

      it(`a ${purpose} code is impossible offline with a copy of its row`, async () => {
        const { userId, email } = await register(service)
        const code = await issue(service, email)
        const rows = await service.portico.database.query
          .selectFrom('codes')
          .selectAll()
          .where('user_id', '=', userId)
          .execute()
        const row = JSON.stringify(rows.map(({ hash }) => hash))
        assert.ok(row.length > 40)
        const inputs = [code, userId + code, email + code, JSON.stringify(['code', purpose, userId, code])]
        for (const algorithm of ['md5', 'sha1', 'sha256', 'sha512']) {
          for (const encoding of ['hex', 'base64', 'base64url'] as const) {
            for (const input of [...inputs, code + userId]) {
              assert.ok(!row.includes(createHash(algorithm).update(input).digest(encoding)))
            }
          }
        }
      })

      it(`a ${purpose} code is refused after the key of its hash has changed`, async (t) => {
        const env = await temporaryDatabase(t, engine)
        const before = await startOn(env)
        const { email } = await register(before)
        const code = await issue(before, email)
        await before.portico.database.query
          .updateTable('secrets')
          .set({ value: 'A'.repeat(43) })
          .execute()
        await before.close()
        const after = await startOn(env)
        cleanUp(t, () => after.close())
        assertRefused(await use(after, email, code), 400, refusal)
      })
    }
  })
})

/** The account is still unverified, its password is still that of the registration, and no session exists. */
async function assertNothingGained(service: Service, account: Awaited<ReturnType<typeof register>>): Promise<void> {
  const { email, password, userId } = account
  assertRefused(await tryLogIn(service, email, password), 403, 'Please verify your email before logging in')
  assert.equal(await countSessions(service, userId), 0)
}
