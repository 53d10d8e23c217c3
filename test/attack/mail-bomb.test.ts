import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertAlike, NEW_PASSWORD, reset, someone, tryLogIn, verify } from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  codeFor,
  linkFor,
  mailsTo,
  newEmail,
  post,
  registration,
} from '../support/api.ts'
import { from, LIMITED, newAddress } from '../support/rate-limits.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const CLIENTS = 40
const MAX_MAILS = 10
const WRONG_CODES = 100

const RESEND = '/api/email-verification/resend'
const FORGOT = '/api/forgot-password'

describe('many clients that request mails to one victim', () => {
  onBothEngines((service) => {
    /** Every client requests a mail. Each gets the same response as for an unknown address. */
    async function bomb(email: string, pathOf: (number: number) => string): Promise<void> {
      const send = (number: number) => post(service, pathOf(number), { email }, from(newAddress()))
      // One at a time up to the limit: of mails that wait at the same time, only the newest is sent.
      for (let number = 0; number < MAX_MAILS; number++) {
        await service.portico.deliveryWorker.idle()
        assertSucceeded(await send(number))
      }
      const others = Array.from({ length: CLIENTS - MAX_MAILS }, (_, at) => send(MAX_MAILS + at))
      for (const response of await Promise.all(others)) assertSucceeded(response)
      const unknown = newEmail()
      for (const path of [pathOf(0), pathOf(1)]) {
        const ask = async (about: string) => ({
          email: about,
          response: await post(service, path, { email: about }, from(newAddress())),
        })
        assertAlike(await ask(email), await ask(unknown))
      }
    }

    it('cannot fill the mailbox of an account, nor keep its owner from a new password', async () => {
      const { email } = await someone(service)
      await bomb(email, () => FORGOT)
      assert.equal((await mailsTo(service, email)).length, MAX_MAILS)
      await guessEverywhere(service, '/api/reset-password', (code) => ({
        email,
        resetToken: code,
        password: NEW_PASSWORD,
        confirmPassword: NEW_PASSWORD,
      }))
      assertSucceeded(await reset(service, email, (await linkFor(service, email)).token))
      assertSucceeded(await tryLogIn(service, email, NEW_PASSWORD))
    })

    it('cannot fill the mailbox of a user who has only registered, nor keep that user from verifying', async () => {
      const body = registration()
      const { email } = body
      assertSucceeded(await post(service, '/api/create-account', body, from(newAddress())), 201)
      await bomb(email, () => RESEND)
      assert.equal((await mailsTo(service, email)).length, MAX_MAILS)
      await guessEverywhere(service, '/api/email-verification', (verificationCode) => ({ email, verificationCode }))
      assertSucceeded(await verify(service, email, (await linkFor(service, email)).token))
    })

    it('share one limit for both kinds of mail, which ends after an hour', async () => {
      const body = registration()
      const { email } = body
      assertSucceeded(await post(service, '/api/create-account', body, from(newAddress())), 201)
      await bomb(email, (number) => (number % 2 ? RESEND : FORGOT))
      assert.equal((await mailsTo(service, email)).length, MAX_MAILS)
      await service.advanceTime({ minutes: 59 })
      await post(service, RESEND, { email }, from(newAddress()))
      assert.equal((await mailsTo(service, email)).length, MAX_MAILS)
      await service.advanceTime({ minutes: 1 })
      await post(service, RESEND, { email }, from(newAddress()))
      assert.equal((await mailsTo(service, email)).length, MAX_MAILS + 1)
      assertSucceeded(await verify(service, email, await codeFor(service, email)))
    })

    it('leave the newest link working until the next mail can be sent', async () => {
      const { email } = await someone(service)
      await bomb(email, () => FORGOT)
      await service.advanceTime({ minutes: 59, seconds: 50 })
      await post(service, FORGOT, { email }, from(newAddress()))
      assertSucceeded(await reset(service, email, (await linkFor(service, email)).token))
    })

    it('keep no other address from its mail', async () => {
      const [victim, bystander] = [await someone(service), await someone(service)]
      await bomb(victim.email, () => FORGOT)
      assertSucceeded(await post(service, FORGOT, { email: bystander.email }, from(newAddress())))
      assert.equal((await mailsTo(service, bystander.email)).length, 1)
    })
  }, LIMITED)
})

async function guessEverywhere(service: Service, path: string, bodyWith: (code: string) => object): Promise<void> {
  for (let number = 0; number < WRONG_CODES; number += 10) {
    // Not six digits, so that none is right by chance.
    const codes = Array.from({ length: 10 }, (_, at) => `x${number + at}`)
    const responses = await Promise.all(codes.map((code) => post(service, path, bodyWith(code), from(newAddress()))))
    for (const response of responses) assertRefused(response, 400)
  }
}
