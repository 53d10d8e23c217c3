import assert from 'node:assert/strict'
import { afterEach, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { newEmail, PASSWORD, signUp } from '../support/api.ts'
import { axeFindings, INSTALL_LIMIT_MS, launchChromium, loadAxe, openPage, PHONE } from '../support/browser.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { invitationFor, setRegistration, signUpOwner } from '../support/owners.ts'
import { AccountJourney } from '../support/page-visitor.ts'
import { type Service, startService } from '../support/service.ts'
import { deliverDue, PRIVATE_WEBHOOKS, startReceiver } from '../support/webhooks.ts'

describe('the owner’s desk in a browser', () => {
  let service: Service
  let browser: Browser
  const suite = suiteCleanUp()

  async function start(): Promise<void> {
    service = await startService('sqlite', PRIVATE_WEBHOOKS)
    cleanUp(suite, () => service.close())
    browser = await launchChromium(suite)
  }
  before(start, { timeout: INSTALL_LIMIT_MS })
  afterEach(() => setRegistration(service, { mode: 'open' }))

  async function begin(javaScriptEnabled: boolean) {
    const { page, assertNoErrors } = await openPage(browser, { javaScriptEnabled })
    return Object.assign(new AccountJourney(service, page), { assertNoErrors })
  }

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with scripts' : 'without scripts'

    it(`finds, suspends and signs out a person ${how}`, async () => {
      const desk = await begin(javaScriptEnabled)
      const { page } = desk
      await desk.logIn((await signUpOwner(service)).email)
      const person = await signUp(service, { firstName: 'Emmy', lastName: 'Noether' })
      await page
        .getByRole('banner')
        .getByRole('button', { name: /^Account of/ })
        .click()
      await page.getByRole('link', { name: 'Owner’s desk' }).click()
      const tabs = page.getByRole('navigation', { name: 'Owner’s desk' })
      await tabs.getByRole('link', { name: 'People' }).click()
      await desk.fill({ 'Name, e-mail address or username': person.email })
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: 'Emmy Noether' }).click()
      assert.match(await desk.heading(), /Emmy Noether/)
      await desk.press('Sign out')
      assert.match(await desk.message(), /That device of the person is signed out/)
      await page.getByText('Suspend', { exact: true }).first().click()
      await desk.fill({ Reason: 'Unsolicited advertising' })
      await desk.press('Suspend')
      assert.match(await desk.heading(), /Suspended until/)
      await page.getByText('Lift the suspension', { exact: true }).first().click()
      await desk.press('Lift the suspension')
      assert.match(await desk.message(), /can sign in again/)
      desk.assertNoErrors()
    })

    it(`invites a person, who signs up, and revokes an invitation ${how}`, async () => {
      const desk = await begin(javaScriptEnabled)
      const { page } = desk
      await desk.logIn((await signUpOwner(service)).email)
      await desk.go('/owner/registration')
      await page.getByLabel('By invitation').check()
      await desk.press('Save')
      assert.match(await desk.message(), /Registration is changed/)
      const [invited, other] = [newEmail(), newEmail()]
      for (const email of [invited, other]) {
        await desk.fill({ 'E-mail': email })
        await desk.press('Invite')
        assert.match(await desk.message(), /on its way/)
      }
      const guest = await begin(javaScriptEnabled)
      await guest.go(`/sign-up?invitation=${await invitationFor(service, invited)}`)
      await guest.fill({ 'First name': 'Sofia', 'Last name': 'Kowalewskaja' })
      await guest.fill({ Password: PASSWORD, 'Confirm password': PASSWORD })
      await guest.press('Sign up')
      await guest.openLink(invited, '/verify-email')
      await guest.press('Verify')
      await guest.page.waitForURL('**/account')

      await page.getByRole('button', { name: `Revoke ${other}` }).press('Enter')
      const question = page.getByRole('dialog', { name: `Revoke the invitation of ${other}?` })
      await question.getByRole('button', { name: 'Cancel' }).press('Enter')
      assert.equal(await question.isVisible(), false)
      await page.getByRole('button', { name: `Revoke ${other}` }).click()
      await question.getByRole('button', { name: 'Revoke the invitation' }).click()
      assert.match(await desk.message(), /The invitation is revoked/)
      const states = await page.getByRole('row').filter({ hasText: /@/ }).allInnerTexts()
      assert.match(states.find((text) => text.includes(invited)) ?? '', /Used/)
      assert.match(states.find((text) => text.includes(other)) ?? '', /Revoked/)
      for (const { assertNoErrors } of [desk, guest]) assertNoErrors()
    })

    it(`makes a webhook, shows its delivery, and deletes it ${how}`, async (t) => {
      const receiver = await startReceiver(t)
      const desk = await begin(javaScriptEnabled)
      const { page } = desk
      await desk.logIn((await signUpOwner(service)).email)
      await desk.go('/owner/webhooks')
      await page.getByRole('link', { name: 'Add a webhook' }).click()
      await desk.fill({ URL: receiver.url })
      await page.getByLabel('session.started').check()
      await desk.press('Add the webhook')
      assert.match(await page.locator('.key').innerText(), /^whsec_/)
      assert.equal(await page.getByRole('button', { name: 'Copy' }).count(), javaScriptEnabled ? 1 : 0)
      await page.getByRole('link', { name: 'I have saved it' }).click()
      assert.equal(await desk.heading(), receiver.url)
      await signUp(service)
      await deliverDue(service)
      await page.reload()
      const row = page.getByRole('row').filter({ hasText: 'session.started' })
      assert.match(await row.innerText(), /Delivered[\s\S]*Status 204/)
      await row.locator('summary').click()
      assert.match(await row.locator('pre').innerText(), /"userId"/)
      await desk.press('Resend')
      assert.match(await desk.message(), /sent again/)
      await deliverDue(service)
      assert.equal(receiver.received.length, 2)
      await page.getByText('Delete', { exact: true }).click()
      await desk.press('Delete this webhook')
      assert.match(await desk.message(), /The webhook is deleted/)
      desk.assertNoErrors()
    })
  }

  it('is accessible with an open question, an open delivery and a secret', async (t) => {
    const { url } = await startReceiver(t)
    const { page } = await openPage(browser, { bypassCSP: true, reducedMotion: 'reduce', viewport: PHONE })
    const desk = new AccountJourney(service, page)
    await loadAxe(page)
    await desk.logIn((await signUpOwner(service)).email)
    const assertSound = async (name: string) => {
      const wide = await page.evaluate<number>('document.scrollingElement.scrollWidth')
      assert.ok(wide <= PHONE.width, `${name} is ${wide} pixels wide`)
      assert.deepEqual(await axeFindings(page), [], name)
    }
    await desk.go('/owner/registration')
    await desk.fill({ 'E-mail': newEmail() })
    await desk.press('Invite')
    await page.getByRole('button', { name: 'Revoke' }).first().click()
    await assertSound('question')
    await desk.go('/owner/webhooks/new')
    await desk.fill({ URL: url })
    await page.getByLabel('session.started').check()
    await desk.press('Add the webhook')
    await assertSound('secret')
    await page.getByRole('link', { name: 'I have saved it' }).click()
    await signUp(service)
    await deliverDue(service)
    await page.reload()
    await page.locator('td summary').click()
    await assertSound('delivery')
  })
})
