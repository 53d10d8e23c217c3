import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { base32 } from '../../src/lib/base32.ts'
import { type AuthenticatorApps, createAuthenticatorApps } from '../../src/proofs/authenticator-app.ts'
import { createGuessLimit } from '../../src/proofs/guess-limit.ts'
import { createSecretBox } from '../../src/proofs/secret-box.ts'
import { someone, tryLogIn } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, eventTypes, get, mailsTo } from '../support/api.ts'
import {
  appCode,
  assertAsksForSecondFactor,
  passFirstStep,
  passSecondStep,
  someoneProtected,
  wrongAppCode,
} from '../support/second-factor.ts'
import { onBothEngines } from '../support/service.ts'

const STEP_MS = 30_000
const NOON = Date.UTC(2026, 10, 16, 12)

describe('a code of an authenticator app', () => {
  onBothEngines((service) => {
    let clockMs = NOON
    let apps: AuthenticatorApps
    before(() => {
      const { database } = service.portico
      const hash = (text: string) => text
      apps = createAuthenticatorApps({
        database,
        clock: { now: () => clockMs, measure: async () => {} },
        secretBox: createSecretBox(randomBytes(32), undefined),
        guessLimit: createGuessLimit(database, hash),
      })
    })

    /** An account whose app was confirmed an hour before noon. */
    async function newApp() {
      const { userId } = await someone(service)
      const secret = await service.portico.database.transaction((tx) => apps.begin(tx, userId))
      assert.ok(secret)
      const generator = new TOTP({ secret: Secret.fromBase32(base32(secret)) })
      const codeAt = (timestamp: number) => generator.generate({ timestamp })
      const verifyAt = async (time: number, code: string) => {
        clockMs = time
        return service.portico.database.transaction((tx) => apps.verify(tx, userId, code))
      }
      clockMs = NOON - 60 * 60_000
      const isConfirmed = await service.portico.database.transaction((tx) => apps.confirm(tx, userId, codeAt(clockMs)))
      assert.ok(isConfirmed)
      return { userId, codeAt, verifyAt }
    }

    for (const [steps, result] of [
      [-2, 'wrong'],
      [-1, 'right'],
      [0, 'right'],
      [1, 'right'],
      [2, 'wrong'],
    ] as const) {
      it(`is ${result} when the clock of the device differs by ${steps} steps`, async () => {
        const { codeAt, verifyAt } = await newApp()
        assert.equal(await verifyAt(NOON, codeAt(NOON + steps * STEP_MS)), result)
      })
    }

    it('works once, also while its step lasts', async () => {
      const { codeAt, verifyAt } = await newApp()
      assert.equal(await verifyAt(NOON, codeAt(NOON)), 'right')
      assert.equal(await verifyAt(NOON, codeAt(NOON)), 'wrong')
      assert.equal(await verifyAt(NOON + STEP_MS, codeAt(NOON)), 'wrong')
      assert.equal(await verifyAt(NOON + STEP_MS, codeAt(NOON + STEP_MS)), 'right')
    })

    it('is wrong after a later one was used', async () => {
      const { codeAt, verifyAt } = await newApp()
      assert.equal(await verifyAt(NOON, codeAt(NOON + STEP_MS)), 'right')
      assert.equal(await verifyAt(NOON, codeAt(NOON)), 'wrong')
      assert.equal(await verifyAt(NOON, codeAt(NOON - STEP_MS)), 'wrong')
    })

    it('that confirmed the app does not sign in', async () => {
      const { codeAt, verifyAt } = await newApp()
      const confirmedAt = NOON - 60 * 60_000
      assert.equal(await verifyAt(confirmedAt, codeAt(confirmedAt)), 'wrong')
    })

    it('is that of its own account', async () => {
      const [one, other] = [await newApp(), await newApp()]
      assert.equal(await other.verifyAt(NOON, one.codeAt(NOON)), 'wrong')
    })

    it('may be right at the fifteenth try of an hour, and not at the sixteenth', async () => {
      for (const [wrongTries, result] of [
        [14, 'right'],
        [15, 'wrong'],
      ] as const) {
        const { codeAt, verifyAt } = await newApp()
        const wrong = codeAt(NOON + 20 * STEP_MS)
        for (let round = 0; round < wrongTries; round++) assert.equal(await verifyAt(NOON, wrong), 'wrong')
        assert.equal(await verifyAt(NOON, codeAt(NOON)), result)
      }
    })

    it('is refused after five wrong ones for a challenge', async () => {
      const owner = await someoneProtected(service)
      const challenge = await passFirstStep(service, owner)
      for (let round = 0; round < 5; round++) {
        const response = await passSecondStep(service, challenge, { code: wrongAppCode(owner.secret) })
        assertRefused(response, 400, 'The code is wrong or was used already')
      }
      const right = { code: appCode(owner.secret) }
      assertRefused(
        await passSecondStep(service, challenge, right),
        400,
        'This sign-in has expired: please log in again',
      )
      assertSucceeded(await passSecondStep(service, await passFirstStep(service, owner), right))
      await service.portico.refusedProofs.idle()
      const failed = (await eventTypes(service, owner)).filter((type) => type === 'second-factor.failed')
      assert.equal(failed.length, 5)
    })

    it('is refused after thirty wrong ones in a row, until a recovery code was used, and the owner is told once', async () => {
      const owner = await someoneProtected(service)
      const guess = async (times: number) => {
        for (let left = times; left > 0; left -= 5) {
          const challenge = await passFirstStep(service, owner)
          for (let round = 0; round < Math.min(5, left); round++) {
            assertRefused(await passSecondStep(service, challenge, { code: wrongAppCode(owner.secret) }), 400)
          }
        }
      }
      const subjects = async () =>
        (await mailsTo(service, owner.email)).filter(({ subject }) => /blocked/.test(subject))
      await guess(15)
      await service.advanceTime({ hours: 1 })
      await guess(14)
      assert.deepEqual(await subjects(), [])
      await guess(1)
      assert.equal((await subjects()).length, 1)
      await service.advanceTime({ hours: 1 })
      assertAsksForSecondFactor(await tryLogIn(service, owner.email, owner.password), ['recovery-code'])
      const challenge = await passFirstStep(service, owner)
      assertRefused(await passSecondStep(service, challenge, { code: appCode(owner.secret) }), 400)
      await guess(5)
      assert.equal((await subjects()).length, 1)

      const recoveryCode = owner.recoveryCodes[0] as string
      const recovered = await passSecondStep(service, challenge, { recoveryCode })
      assertSucceeded(recovered)
      const { accessToken, session } = recovered.body.data
      const { body } = await get(service, '/api/second-factor', {
        as: { accessToken, sessionId: session.sessionId },
      })
      assert.equal(body.data.authenticatorApp.isBlocked, false)
      assertSucceeded(
        await passSecondStep(service, await passFirstStep(service, owner), { code: appCode(owner.secret) }),
      )
    })
  })
})

describe('a recovery code', () => {
  onBothEngines((service) => {
    it('is accepted after fifteen wrong codes of an hour: guessing must not lock the owner out', async () => {
      const owner = await someoneProtected(service)
      for (let round = 0; round < 3; round++) {
        const challenge = await passFirstStep(service, owner)
        for (let tries = 0; tries < 5; tries++) {
          assertRefused(await passSecondStep(service, challenge, { recoveryCode: '00000-00000' }), 400)
        }
      }
      const challenge = await passFirstStep(service, owner)
      // Wrong recovery codes count as tries of the app.
      assertRefused(await passSecondStep(service, challenge, { code: appCode(owner.secret) }), 400)
      const recoveryCode = owner.recoveryCodes[0] as string
      assertSucceeded(await passSecondStep(service, challenge, { recoveryCode }))
    })

    it('is refused for another account', async () => {
      const [owner, other] = [await someoneProtected(service), await someoneProtected(service)]
      const recoveryCode = other.recoveryCodes[0] as string
      assertRefused(await passSecondStep(service, await passFirstStep(service, owner), { recoveryCode }), 400)
      assertSucceeded(await passSecondStep(service, await passFirstStep(service, other), { recoveryCode }))
    })
  })
})
