import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { someone } from '../support/accounts.ts'
import { PASSWORD } from '../support/api.ts'
import { fieldValue, logInOnPages, PageVisitor } from '../support/page-visitor.ts'
import {
  allowUsedSteps,
  appCode,
  type Protected,
  passFirstStep,
  someoneProtected,
  wrongAppCode,
} from '../support/second-factor.ts'
import { onBothEngines } from '../support/service.ts'

const STEP = '/log-in/second-factor'
const SECURITY = '/account/security'
const CODES = /[0-9A-Z]{5}-[0-9A-Z]{5}-[0-9A-Z]{5}/g

describe('the pages of two-step sign-in, without scripts', () => {
  onBothEngines((service) => {
    /** A browser that has passed the first step. */
    async function firstStep({ email }: { email: string }, returnTo = '/account'): Promise<PageVisitor> {
      const visitor = new PageVisitor(service)
      const fields = { email, password: PASSWORD, return_to: returnTo }
      const { status, location } = await visitor.submit('/log-in', 'log-in', fields)
      assert.deepEqual([status, location], [303, `${STEP}?${new URLSearchParams({ return_to: returnTo })}`])
      return visitor
    }

    /** A browser of the owner that is signed in. */
    async function signedInBrowser(owner: Protected, fields: Record<string, string> = {}): Promise<PageVisitor> {
      const visitor = await firstStep(owner)
      const done = await visitor.submit(STEP, 'code', { code: appCode(owner.secret), ...fields })
      assert.equal(done.location, '/account', done.body)
      await allowUsedSteps(service, owner)
      return visitor
    }

    it('set up an app, show the recovery codes once, and turn two-step sign-in on', async () => {
      const { email } = await someone(service)
      const visitor = await logInOnPages(service, email)
      assert.match((await visitor.get(SECURITY)).body, /Two-step sign-in<\/h3>/)

      const begun = await visitor.submit(SECURITY, 'add-app')
      assert.equal(begun.status, 200)
      assert.equal(begun.headers.get('cache-control'), 'no-store')
      assert.match(begun.body, /<svg [^>]*role="img" aria-label="QR code for your authenticator app"/)
      assert.doesNotMatch(begun.body, / style=/)
      const secret = fieldValue(begun.body, 'secret') ?? ''
      assert.ok(begun.body.includes(secret.match(/.{4}/g)?.join(' ') ?? 'none'))
      assert.match(begun.body, /inputmode="numeric" autocomplete="one-time-code"/)

      const refused = await visitor.submit(SECURITY, 'confirm-app', { secret, code: wrongAppCode(secret) })
      assert.equal(refused.status, 400)
      assert.equal(fieldValue(refused.body, 'secret'), secret)
      assert.match(refused.body, /role="alert">The code is wrong/)

      const session = visitor.cookies.get('portico_session')
      const confirmed = await visitor.submit(SECURITY, 'confirm-app', { secret, code: appCode(secret) })
      assert.equal(confirmed.status, 200)
      assert.notEqual(visitor.cookies.get('portico_session'), session)
      const codes = new Set(confirmed.body.match(CODES))
      assert.equal(codes.size, 10)
      const [, file = ''] =
        /href="data:text\/plain;charset=utf-8,([^"]*)" download="recovery-codes.txt"/.exec(confirmed.body) ?? []
      assert.deepEqual(new Set(decodeURIComponent(file).match(CODES)), codes)

      const { body } = await visitor.get(SECURITY)
      assert.doesNotMatch(body, CODES)
      assert.match(body, /10 recovery codes are left/)
      assert.match(body, /Turn two-step sign-in off/)
    })

    it('show no secret that was changed on the way', async () => {
      const { email } = await someone(service)
      const visitor = await logInOnPages(service, email)
      const { body } = await visitor.submit(SECURITY, 'confirm-app', { secret: '"><b>', code: '123456' })
      assert.doesNotMatch(body, /"><b>|<svg [^>]*role="img"/)
    })

    it('ask for a code, and go on to the page that was asked for', async () => {
      const owner = await someoneProtected(service)
      const visitor = await firstStep(owner, '/account/data')
      const page = await visitor.get(`${STEP}?return_to=%2Faccount%2Fdata`)
      assert.equal(page.status, 200)
      assert.match(page.body, /inputmode="numeric" autocomplete="one-time-code"/)
      assert.match(page.body, /Use a recovery code instead/)
      assert.match(page.body, /Remember this browser for 30 days/)
      assert.match(page.body, /href="\/log-in\?return_to=%2Faccount%2Fdata"/)
      assert.equal(fieldValue(page.body, 'return_to'), '/account/data')

      const wrong = await visitor.submit(STEP, 'code', {
        code: wrongAppCode(owner.secret),
        return_to: '/account/data',
        rememberBrowser: 'on',
      })
      assert.equal(wrong.status, 400)
      assert.match(wrong.body, /The code is wrong or was used already/)
      assert.match(wrong.body, /<input type="checkbox" checked/)
      assert.equal(fieldValue(wrong.body, 'return_to'), '/account/data')

      const done = await visitor.submit(STEP, 'code', { code: appCode(owner.secret), return_to: '/account/data' })
      assert.deepEqual([done.status, done.location], [303, '/account/data'])
      assert.deepEqual([...visitor.cookies.keys()], ['portico_session'])
      assert.equal((await visitor.get('/account/data')).status, 200)
    })

    it('take a recovery code, and no other site as the way on', async () => {
      const owner = await someoneProtected(service)
      const visitor = await firstStep(owner)
      const done = await visitor.submit(STEP, 'recovery', {
        recoveryCode: owner.recoveryCodes[0] as string,
        return_to: '//evil.example',
      })
      assert.equal(done.location, '/account', done.body)
      assert.match((await visitor.get(SECURITY)).body, /9 recovery codes are left/)
    })

    it('send somebody without a challenge back to the log-in', async () => {
      const visitor = new PageVisitor(service)
      for (const challenge of ['', 'x', 'A'.repeat(43), '"><b>']) {
        visitor.cookies.set('portico_second_factor', challenge)
        const { status, body } = await visitor.get(STEP)
        assert.equal(status, 200)
        assert.match(body, /Log in again/)
        assert.doesNotMatch(body, /one-time-code/)
        const posted = await visitor.submit(STEP, 'code', { code: '123456' })
        assert.equal(posted.status, 400)
      }
    })

    it('remember a browser, which then needs no second step, and forget it', async () => {
      const owner = await someoneProtected(service)
      const visitor = await signedInBrowser(owner, { rememberBrowser: 'on' })
      const remembered = visitor.cookies.get('portico_remembered') ?? ''
      assert.match(remembered, /^[\w-]{43}$/)
      const again = new PageVisitor(service)
      again.cookies.set('portico_remembered', remembered)
      const { location } = await again.submit('/log-in', 'log-in', { email: owner.email, password: PASSWORD })
      assert.equal(location, '/account')

      const { body } = await again.get(SECURITY)
      assert.match(body, /id="remembered-browsers"/)
      assert.match(body, /This browser/)
      const forgotten = await again.submit(SECURITY, 'forget-browser', { id: fieldValue(body, 'id') ?? '' })
      assert.deepEqual([forgotten.status, forgotten.location], [303, SECURITY])
      assert.doesNotMatch((await again.get(SECURITY)).body, /id="remembered-browsers"/)
      again.cookies.delete('portico_session')
      const third = await again.submit('/log-in', 'log-in', { email: owner.email, password: PASSWORD })
      assert.match(third.location, /second-factor/)
    })

    it('make new recovery codes, warn when few are left, and turn two-step sign-in off and on', async () => {
      const owner = await someoneProtected(service)
      const visitor = await signedInBrowser(owner)
      const made = await visitor.submit(SECURITY, 'recovery-codes')
      assert.equal(new Set(made.body.match(CODES)).size, 10)
      const { database } = service.portico
      const rows = await database.query
        .selectFrom('recovery_codes')
        .select('hash')
        .where('user_id', '=', owner.userId)
        .execute()
      for (const { hash } of rows.slice(0, 7)) {
        await database.query.deleteFrom('recovery_codes').where('hash', '=', hash).execute()
      }
      assert.match(
        (await visitor.get(SECURITY)).body,
        /class="notice warn"[\s\S]*3 recovery codes are left\. Make new ones/,
      )

      const off = await visitor.submit(SECURITY, 'two-step-off')
      assert.deepEqual([off.status, off.location], [303, SECURITY])
      const { body } = await visitor.get(SECURITY)
      assert.match(body, /Turn two-step sign-in on/)
      assert.doesNotMatch(body, /recovery codes are left/)
      const on = await visitor.submit(SECURITY, 'two-step-on')
      assert.equal(new Set(on.body.match(CODES)).size, 10)
      const removed = await visitor.submit(SECURITY, 'remove-app')
      assert.equal(removed.location, SECURITY)
      assert.match((await visitor.get(SECURITY)).body, /Add an app/)
    })

    it('take a code of the app as a proof of identity', async () => {
      const owner = await someoneProtected(service)
      const visitor = await signedInBrowser(owner)
      await service.advanceTime({ minutes: 16 })
      const { location } = await visitor.submit(SECURITY, 'recovery-codes')
      assert.equal(location, '/account/confirm?return_to=%2Faccount%2Fsecurity')
      const wrong = await visitor.submit(location, 'authenticator-app', { code: wrongAppCode(owner.secret) })
      assert.equal(wrong.status, 400)
      const proven = await visitor.submit(location, 'authenticator-app', { code: appCode(owner.secret) })
      assert.equal(proven.location, SECURITY, proven.body)
      assert.equal(new Set((await visitor.submit(SECURITY, 'recovery-codes')).body.match(CODES)).size, 10)
    })

    it('offer the recovery code alone while the app is blocked', async () => {
      const owner = await someoneProtected(service)
      await service.portico.database.query
        .updateTable('authenticator_apps')
        .set({ wrong_codes: 30 })
        .where('user_id', '=', owner.userId)
        .execute()
      const visitor = await firstStep(owner)
      const { body } = await visitor.get(STEP)
      assert.doesNotMatch(body, /one-time-code/)
      assert.match(body, /Recovery code/)
    })

    it('let somebody who is signed in finish the sign-in of another account', async () => {
      const [owner, other] = [await someoneProtected(service), await someone(service)]
      const visitor = await logInOnPages(service, other.email)
      visitor.cookies.set('portico_second_factor', await passFirstStep(service, owner))
      const done = await visitor.submit(STEP, 'code', { code: appCode(owner.secret) })
      assert.equal(done.location, '/account', done.body)
      assert.match((await visitor.get('/account')).body, new RegExp(owner.email))
    })
  })
})
