import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  assertAlike,
  assertAlive,
  countAccounts,
  crowd,
  newResetCode,
  register,
  reset,
  someone,
  tryLogIn,
  verify,
} from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  codeFor,
  get,
  linkFor,
  mailsTo,
  newEmail,
  PASSWORD,
  signUp,
} from '../support/api.ts'
import { changeEmail, confirmChange, emailOf, requestChange, storedOf } from '../support/email-changes.ts'
import { PageVisitor } from '../support/page-visitor.ts'
import { addressesOfEachKind, assertLimited, from, LIMITED, newAddress } from '../support/rate-limits.ts'
import { onBothEngines } from '../support/service.ts'

const CONCURRENCY = 64
const INVALID_CODE = 'Invalid or expired code for the new address'
const IN_USE = 'Your e-mail address was entered for another account - Portico'
// Fifty milliseconds, by a timer that may fire slightly early.
const MIN_RESPONSE_MS = 49

describe('an attacker who asks for the address of another person', () => {
  onBothEngines((service) => {
    it('does not keep the owner from registering it, and gets nothing by it', async () => {
      const attacker = await someone(service)
      const email = newEmail()
      assertSucceeded(await requestChange(service, attacker, email))
      const digits = await codeFor(service, email)
      const { token } = await linkFor(service, email)
      const owner = await signUp(service, { email })
      // Even with the code, the address is taken.
      for (const code of [digits, token]) {
        assertRefused(await confirmChange(service, attacker, code), 409, 'Email already registered')
      }
      assert.equal(await emailOf(service, attacker.userId), attacker.email)
      assert.equal(await emailOf(service, owner.userId), email)
      assertSucceeded(await tryLogIn(service, email, PASSWORD))
      await assertAlive(service, owner)
    })

    it('gains nothing when the owner enters the mailed code elsewhere, or opens the link', async () => {
      const attacker = await someone(service)
      const email = newEmail()
      assertSucceeded(await requestChange(service, attacker, email))
      const { path, token } = await linkFor(service, email)
      const code = await codeFor(service, email)
      const owner = await register(service, { email })
      if (code !== owner.code) assertRefused(await verify(service, email, code), 400)
      assertRefused(await verify(service, email, token), 400)
      const visitor = new PageVisitor(service)
      assert.equal((await visitor.get(path)).status, 303)
      const verified = await visitor.submit('/verify-email', 'verify', { email, verificationCode: owner.code })
      assert.equal(verified.location, '/account')
      const opened = await visitor.get(path)
      assert.match(opened.body, /This link is too old, was used already or belongs to another account/)
      const sent = await visitor.submit('/account/email', 'confirm', { code: token })
      assert.equal(sent.status, 400)
      assert.equal(await emailOf(service, owner.userId), email)
      assert.equal(await emailOf(service, attacker.userId), attacker.email)
    })

    it('learns nothing from the responses, nor from anything else that the account shows', async () => {
      const kinds = await addressesOfEachKind(service)
      const reserved = await someone(service)
      await changeEmail(service, reserved)
      const asked = []
      for (const email of [...Object.values(kinds), reserved.email]) {
        const attacker = await someone(service)
        const requested = await requestChange(service, attacker, email)
        const wrong = await confirmChange(service, attacker, 'no-code')
        const events = await get(service, '/api/security-events', { as: attacker })
        const data = await get(service, '/api/user-data', { as: attacker })
        const shown = {
          wrong: [wrong.status, wrong.body.code],
          events: events.body.data.events.map(({ type }: { type: string }) => type),
          pending: data.body.data.pendingEmailChanges.map(({ newEmail }: { newEmail: string }) => newEmail),
          mails: data.body.data.waitingMails
            .map(({ subject }: { subject: string }) => subject)
            .filter((subject: string) => subject !== 'Your data was downloaded'),
        }
        assertSucceeded(requested)
        asked.push({ email, response: { ...requested, body: { ...requested.body, shown } } })
      }
      assertAlike(...asked)
    })

    it('learns nothing from the time: no response is sent before the minimum time', async () => {
      for (const email of Object.values(await addressesOfEachKind(service))) {
        const attacker = await someone(service)
        for (const ask of [
          () => requestChange(service, attacker, email),
          () => confirmChange(service, attacker, 'no-code'),
        ]) {
          const begun = performance.now()
          await ask()
          assert.ok(performance.now() - begun >= MIN_RESPONSE_MS)
        }
      }
    })

    it('causes a mail to the owner without a code, and has no code to guess', async () => {
      const [attacker, owner] = [await someone(service), await someone(service)]
      assertSucceeded(await requestChange(service, attacker, owner.email))
      const mails = await mailsTo(service, owner.email)
      assert.deepEqual(
        mails.map(({ subject }) => subject),
        [IN_USE],
      )
      assert.doesNotMatch(mails[0]?.text ?? '', /\d{6}|token/)
      const { codes } = await storedOf(service, attacker)
      assert.deepEqual(codes, [])
      assertRefused(await confirmChange(service, attacker, '000000'), 400, INVALID_CODE)
      await assertAlive(service, owner)
    })

    it('cannot guess the digits: five tries, also at once, then the right ones are refused', async () => {
      const attacker = await someone(service)
      const email = newEmail()
      await requestChange(service, attacker, email)
      const right = await codeFor(service, email)
      const wrong = (number: number) => String((Number(right) + 1 + number) % 1_000_000).padStart(6, '0')
      const tries = Array.from({ length: CONCURRENCY }, (_, at) => confirmChange(service, attacker, wrong(at)))
      for (const response of await Promise.all(tries)) assertRefused(response, 400, INVALID_CODE)
      assertRefused(await confirmChange(service, attacker, right), 400, INVALID_CODE)
      assert.equal(await countAccounts(service, email), 0)
      // Fifteen an hour, over any number of codes and addresses.
      for (let request = 0; request < 4; request++) {
        await requestChange(service, attacker, newEmail())
        for (let tried = 0; tried < 5; tried++) await confirmChange(service, attacker, 'no-code')
      }
      const other = newEmail()
      await requestChange(service, attacker, other)
      assertRefused(await confirmChange(service, attacker, await codeFor(service, other)), 400, INVALID_CODE)
      assertSucceeded(await confirmChange(service, attacker, (await linkFor(service, other)).token))
    })

    it('cannot use the code of another account or another purpose', async () => {
      const [attacker, other] = [await someone(service), await someone(service)]
      const email = newEmail()
      await requestChange(service, other, email)
      await requestChange(service, attacker, newEmail())
      assertRefused(await confirmChange(service, attacker, (await linkFor(service, email)).token), 400, INVALID_CODE)
      await newResetCode(service, attacker.email)
      const { token } = await linkFor(service, attacker.email)
      assertRefused(await confirmChange(service, attacker, token), 400, INVALID_CODE)
      assertSucceeded(await reset(service, attacker.email, token))
    })
  })
})

describe('the limits of e-mail changes', () => {
  onBothEngines((service) => {
    it('bound the addresses that one account can ask for, and the mails to one address', async () => {
      const attacker = await someone(service)
      const ask = (email: string) => requestChange(service, attacker, email, { ...from(newAddress()) })
      for (let number = 0; number < 5; number++) assertSucceeded(await ask(newEmail()))
      assertLimited(await ask(newEmail()), 'code', 5, 900)

      const victim = newEmail()
      for (const person of await crowd(service, 14)) {
        await service.portico.deliveryWorker.idle()
        assertSucceeded(await requestChange(service, person, victim, from(newAddress())))
      }
      assert.equal((await mailsTo(service, victim)).length, 10)
    })

    it('leave no code of another address valid when no mail can be sent', async () => {
      const attacker = await someone(service)
      const [own, victim] = [newEmail(), newEmail()]
      for (const person of await crowd(service, 10)) {
        await service.portico.deliveryWorker.idle()
        await requestChange(service, person, victim, from(newAddress()))
      }
      assertSucceeded(await requestChange(service, attacker, own))
      const [digits, { token }] = [await codeFor(service, own), await linkFor(service, own)]
      assertSucceeded(await requestChange(service, attacker, victim))
      for (const code of [digits, token]) {
        assertRefused(await confirmChange(service, attacker, code), 400, INVALID_CODE)
      }
      assert.equal(await emailOf(service, attacker.userId), attacker.email)
    })
  }, LIMITED)
})
