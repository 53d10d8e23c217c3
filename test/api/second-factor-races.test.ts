import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countSessions } from '../support/accounts.ts'
import { type ApiResponse, assertRefused, assertSucceeded, del, get, mailsTo, post } from '../support/api.ts'
import { appCode, passFirstStep, passSecondStep, someoneProtected, wrongAppCode } from '../support/second-factor.ts'
import { onBothEngines } from '../support/service.ts'

const CONCURRENCY = 64

const allAtOnce = <T>(start: (number: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: CONCURRENCY }, (_, number) => start(number)))

function assertOneWinner(responses: ApiResponse[]): void {
  const winners = responses.filter(({ status }) => status === 200)
  assert.equal(winners.length, 1)
  for (const response of responses) if (response.status !== 200) assertRefused(response, 400)
}

describe(`of ${CONCURRENCY} concurrent requests`, () => {
  onBothEngines((service) => {
    /** As many challenges of the account, so that only the code decides. */
    async function challengesOf(owner: Parameters<typeof passFirstStep>[1] & { userId: string }): Promise<string[]> {
      return service.portico.database.transaction(async (tx) => {
        const challenges: string[] = []
        for (let number = 0; number < CONCURRENCY; number++) {
          const first = { authMethod: 'email', methods: ['pwd'] } as const
          const { token } = await service.portico.secondFactorChallenges.issue(tx, owner.userId, {
            ...first,
            methods: [...first.methods],
          })
          challenges.push(token)
        }
        return challenges
      })
    }

    it('one signs in with a code of the app, with a challenge each', async () => {
      const owner = await someoneProtected(service)
      const challenges = await challengesOf(owner)
      const sessions = await countSessions(service, owner.userId)
      const code = appCode(owner.secret)
      const responses = await allAtOnce((number) => passSecondStep(service, challenges[number] as string, { code }))
      assertOneWinner(responses)
      assert.equal(await countSessions(service, owner.userId), sessions + 1)
    })

    it('one signs in with a recovery code, with a challenge each', async () => {
      const owner = await someoneProtected(service)
      const challenges = await challengesOf(owner)
      const sessions = await countSessions(service, owner.userId)
      const recoveryCode = owner.recoveryCodes[0] as string
      const responses = await allAtOnce((number) =>
        passSecondStep(service, challenges[number] as string, { recoveryCode }),
      )
      assertOneWinner(responses)
      assert.equal(await countSessions(service, owner.userId), sessions + 1)
      const { body } = await get(service, '/api/second-factor', { as: owner })
      assert.equal(body.data.recoveryCodesLeft, 9)
      const told = (await mailsTo(service, owner.email)).filter(({ subject }) => /recovery code was used/.test(subject))
      assert.equal(told.length, 1)
    })

    it('one uses a challenge, with a valid recovery code each', async () => {
      const owner = await someoneProtected(service)
      const challenge = await passFirstStep(service, owner)
      const sessions = await countSessions(service, owner.userId)
      const responses = await allAtOnce((number) =>
        passSecondStep(service, challenge, { recoveryCode: owner.recoveryCodes[number % 10] as string }),
      )
      assertOneWinner(responses)
      assert.equal(await countSessions(service, owner.userId), sessions + 1)
      const { body } = await get(service, '/api/second-factor', { as: owner })
      assert.equal(body.data.recoveryCodesLeft, 9)
    })

    it('five wrong codes of a challenge are compared, and fifteen of an account', async () => {
      const owner = await someoneProtected(service)
      const wrong = wrongAppCode(owner.secret)
      const challenge = await passFirstStep(service, owner)
      const compared = async () => {
        const { wrong_codes } = await service.portico.database.query
          .selectFrom('authenticator_apps')
          .select('wrong_codes')
          .where('user_id', '=', owner.userId)
          .executeTakeFirstOrThrow()
        return wrong_codes
      }
      for (const response of await allAtOnce(() => passSecondStep(service, challenge, { code: wrong })))
        assertRefused(response, 400)
      assert.equal(await compared(), 5)
      const challenges = await challengesOf(owner)
      await allAtOnce((number) => passSecondStep(service, challenges[number] as string, { code: wrong }))
      assert.equal(await compared(), 15)
    })

    it('one makes the recovery codes that are stored', async () => {
      const owner = await someoneProtected(service)
      const responses = await allAtOnce(() => post(service, '/api/recovery-codes', undefined, { as: owner }))
      for (const response of responses) assertSucceeded(response)
      const { body } = await get(service, '/api/second-factor', { as: owner })
      assert.equal(body.data.recoveryCodesLeft, 10)
    })

    it('one removes the app', async () => {
      const owner = await someoneProtected(service)
      const responses = await allAtOnce(() => del(service, '/api/authenticator-app', undefined, { as: owner }))
      assert.equal(responses.filter(({ status }) => status === 200).length, 1)
      for (const response of responses) if (response.status !== 200) assertRefused(response, 404)
    })

    it('at most one signs in while the app is being removed, and no challenge is left', async () => {
      const owner = await someoneProtected(service)
      const challenges = await challengesOf(owner)
      const sessions = await countSessions(service, owner.userId)
      const code = appCode(owner.secret)
      const [removed, ...others] = await Promise.all([
        del(service, '/api/authenticator-app', undefined, { as: owner }),
        ...challenges.map((challenge) => passSecondStep(service, challenge, { code })),
      ])
      assertSucceeded(removed)
      const successes = others.filter(({ status }) => status === 200)
      assert.ok(successes.length <= 1)
      assert.equal(await countSessions(service, owner.userId), sessions + successes.length)
      for (const challenge of challenges) assertRefused(await passSecondStep(service, challenge, { code }), 400)
      const left = await service.portico.database.query
        .selectFrom('second_factor_challenges')
        .select('key')
        .where('user_id', '=', owner.userId)
        .execute()
      assert.deepEqual(left, [])
    })
  })
})
