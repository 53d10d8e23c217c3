import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deleteExpiredRows } from '../../src/housekeeping.ts'
import {
  everythingStored,
  newResetCode,
  newVerificationCode,
  otherThan,
  register,
  reset,
  tryLogIn,
  verify,
} from '../support/accounts.ts'
import {
  type ApiResponse,
  assertRefused,
  assertSucceeded,
  call,
  codeFor,
  linkFor,
  mailsTo,
  newEmail,
  post,
} from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { fieldValue, PageVisitor } from '../support/page-visitor.ts'
import { onBothEngines, type Service, startLoggedService } from '../support/service.ts'

interface Kind {
  path: string
  field: string
  refusal: string
  issue(service: Service, email: string): Promise<string>
  use(service: Service, email: string, code: string): Promise<ApiResponse>
}

const KINDS: Record<'verification' | 'reset', Kind> = {
  verification: {
    path: '/verify-email',
    field: 'verificationCode',
    refusal: 'Invalid or expired verification code',
    issue: newVerificationCode,
    use: verify,
  },
  reset: {
    path: '/reset-password',
    field: 'resetToken',
    refusal: 'Invalid or expired reset token',
    issue: newResetCode,
    use: reset,
  },
}

describe('the link in a mail', () => {
  onBothEngines((service, engine) => {
    it('for verification, opened again by its signed-in owner, shows that the address is verified', async () => {
      const { email } = await register(service)
      const { path, token } = await linkFor(service, email)
      const owner = new PageVisitor(service)
      assert.equal((await owner.submit(path, 'verify', { email, verificationCode: token })).location, '/account')
      assert.match((await owner.get(path)).body, /You are signed in, and your address is verified/)
    })

    for (const purpose of ['verification', 'reset'] as const) {
      const { path, field, refusal, issue, use } = KINDS[purpose]
      const other = KINDS[purpose === 'reset' ? 'verification' : 'reset']

      /** A new account, and the digits and the link of a mail of this purpose. */
      async function mailed() {
        const account = await register(service)
        const digits = await issue(service, account.email)
        return { ...account, digits, link: await linkFor(service, account.email) }
      }
      const assertNoUse = async (email: string, code: string) =>
        assertRefused(await use(service, email, code), 400, refusal)
      /**
       * Requests new digits as often as needed to try so many wrong ones. Returns the right digits of the last mail.
       */
      async function guess(email: string, times: number): Promise<string> {
        let digits = ''
        for (let tried = 0; tried < times; tried += 5) {
          digits = await issue(service, email)
          const wrong = Array.from({ length: Math.min(5, times - tried) }, () => assertNoUse(email, otherThan(digits)))
          await Promise.all(wrong)
        }
        return digits
      }

      it(`for ${purpose} has only a token of 128 bits, and the row does not contain it`, async () => {
        const { email, link, digits } = await mailed()
        assert.match(link.path, new RegExp(`^${path}\\?token=[0-9a-f]{32}$`))
        const [mail] = await mailsTo(service, email)
        for (const body of [mail?.text ?? '', mail?.html ?? '']) {
          assert.ok(body.includes(link.path))
          assert.ok(!body.replaceAll(`http://localhost:3000${link.path}`, '').includes(link.token))
          assert.ok(!body.includes(email))
        }
        const { codes } = await everythingStored(service)
        assert.ok(!JSON.stringify(codes).includes(link.token) && !JSON.stringify(codes).includes(`"${digits}"`))
      })

      it(`for ${purpose} shows the address of its account, and opening it changes nothing`, async () => {
        const { email, link } = await mailed()
        const before = await everythingStored(service)
        for (const method of ['GET', 'HEAD', 'GET']) await call(service, method, link.path)
        const { status, body, headers } = await new PageVisitor(service).get(link.path)
        assert.equal(status, 200)
        assert.equal(fieldValue(body, 'email'), email)
        assert.equal(fieldValue(body, field), link.token)
        assert.equal(headers.get('referrer-policy'), 'strict-origin')
        assert.equal(headers.get('cache-control'), 'no-store')
        assert.deepEqual(await everythingStored(service), before)
        assertSucceeded(await use(service, email, link.token))
      })

      it(`for ${purpose} shows nothing when it is wrong, expired, used or for another purpose`, async () => {
        const [expired, used] = [await mailed(), await mailed()]
        await service.advanceTime({ minutes: 60 })
        assertSucceeded(await use(service, used.email, await issue(service, used.email)))
        const registered = await register(service)
        await other.issue(service, registered.email)
        const others = await linkFor(service, registered.email)
        const tokens = [expired.link.token, used.link.token, others.token, '0'.repeat(32), '', 'x', 'a'.repeat(5000)]
        for (const token of tokens) {
          const { status, body } = await new PageVisitor(service).get(`${path}?${new URLSearchParams({ token })}`)
          assert.equal(status, 200)
          assert.match(body, /role="alert">This link is too old or was used already/)
          assert.equal(fieldValue(body, 'email') ?? '', '')
          assert.equal(fieldValue(body, field) ?? '', '')
          assert.doesNotMatch(body, /@example\.com/)
        }
      })

      it(`for ${purpose} works for an hour, also after housekeeping, when the digits no longer do`, async () => {
        const [late, inTime] = [await mailed(), await mailed()]
        await service.advanceTime({ minutes: 59, seconds: 50 })
        await deleteExpiredRows(service.portico.database)
        await assertNoUse(inTime.email, inTime.digits)
        assertSucceeded(await use(service, inTime.email, inTime.link.token))
        await service.advanceTime({ seconds: 10 })
        await assertNoUse(late.email, late.link.token)
      })

      it(`for ${purpose} works once; link and digits end each other, and a newer mail ends both`, async () => {
        const [byLink, byDigits, twice] = [await mailed(), await mailed(), await mailed()]
        assertSucceeded(await use(service, byLink.email, byLink.link.token))
        for (const code of [byLink.link.token, byLink.digits]) await assertNoUse(byLink.email, code)
        assertSucceeded(await use(service, byDigits.email, byDigits.digits))
        await assertNoUse(byDigits.email, byDigits.link.token)
        await issue(service, twice.email)
        await assertNoUse(twice.email, twice.link.token)
        assertSucceeded(await use(service, twice.email, (await linkFor(service, twice.email)).token))
      })

      it(`for ${purpose} is refused for another account or purpose`, async () => {
        const [victim, attacker] = [await mailed(), await mailed()]
        await assertNoUse(victim.email, attacker.link.token)
        assertRefused(await other.use(service, attacker.email, attacker.link.token), 400, other.refusal)
        assertRefused(await tryLogIn(service, victim.email, victim.password), 403)
      })

      it(`for ${purpose} works after any number of guesses, and resets the cap of wrong digits in a row`, async () => {
        const { email } = await mailed()
        // Thirty wrong ones, fifteen an hour.
        for (const _ of [1, 2]) {
          await guess(email, 15)
          await service.advanceTime({ hours: 1 })
        }
        await assertNoUse(email, await issue(service, email))
        await service.advanceTime({ days: 2 })
        await assertNoUse(email, await issue(service, email))
        for (let tried = 0; tried < 10; tried++) await assertNoUse(email, String(tried).padStart(32, '0'))
        assertSucceeded(await use(service, email, (await linkFor(service, email)).token))

        assertSucceeded(await reset(service, email, await newResetCode(service, email)))
      })

      it(`for ${purpose} is not the only way after 29 wrong digits, and right ones reset the count`, async () => {
        const { email } = await mailed()
        await guess(email, 15)
        await service.advanceTime({ hours: 1 })
        const digits = await guess(email, 14)
        assertSucceeded(await use(service, email, digits))
        const account = await service.portico.store.findByEmail(email)
        assert.equal(account?.wrong_codes, 0)
      })

      it(`for ${purpose} is in no line of the log`, async (t) => {
        const logged = await startLoggedService(engine)
        cleanUp(t, () => logged.close())
        const { email } = await register(logged)
        await issue(logged, email)
        const { path: link, token } = await linkFor(logged, email)
        // The development mailbox prints mails. Production has no such mailbox.
        logged.lines.length = 0
        await new PageVisitor(logged).get(link)
        await new PageVisitor(logged).submit(link, 'none')
        assertRefused(await use(logged, newEmail(), token), 400)
        assertSucceeded(await use(logged, email, token))
        assert.ok(logged.lines.length > 2)
        assert.ok(!JSON.stringify(logged.lines).includes(token))
      })
    }

    it('leaves the digits usable for typing', async () => {
      const { email } = await register(service)
      const code = await codeFor(service, email)
      assertSucceeded(await post(service, '/api/email-verification', { email, verificationCode: code }))
    })
  })
})
