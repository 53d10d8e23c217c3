import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { PASSWORD } from '../support/api.ts'
import { INSTALL_LIMIT_MS, launchChromium, openPage } from '../support/browser.ts'
import { suiteCleanUp } from '../support/clean-up.ts'
import { AccountJourney } from '../support/page-visitor.ts'
import { blockExternalRequests, startDemo } from './demo.ts'

describe('a user who signs in through a provider', () => {
  let url: string
  let browser: Browser

  const suite = suiteCleanUp()
  async function start(): Promise<void> {
    url = await startDemo(suite)
    browser = await launchChromium(suite)
  }
  before(start, { timeout: INSTALL_LIMIT_MS })

  async function signInAs(name: string, javaScriptEnabled: boolean) {
    const { page, assertNoErrors } = await openPage(browser, { javaScriptEnabled })
    await blockExternalRequests(page.context())
    const person = Object.assign(new AccountJourney({ url }, page), { assertNoErrors })
    await person.go('/log-in?return_to=/account/security')
    await page.getByRole('link', { name: /^Continue with/ }).click()
    await page.locator('input[name=login]').fill(name)
    await page.locator('input[name=password]').fill('anything')
    await page.getByRole('button', { name: 'Sign-in' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL(`${url}/account/security`)
    return person
  }

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with scripts' : 'without scripts'
    const name = javaScriptEnabled ? 'Scripta' : 'Plain'

    it(`sets a password, may then unlink, connect and unlink the provider, and logs in with the password, ${how}`, async () => {
      const person = await signInAs(name, javaScriptEnabled)
      assert.match(await person.page.getByRole('main').innerText(), /Your only way in/)
      assert.equal(await person.page.getByRole('button', { name: /^Remove / }).count(), 0)
      await person.page.getByRole('link', { name: 'Set a password' }).click()
      await person.fill({ 'New password': PASSWORD, 'Confirm new password': PASSWORD })
      await person.press('Set the password')
      assert.equal(
        await person.message(),
        'Your password is set, and all other devices are signed out. You can log in with it from now on.',
      )
      await person.press('Remove')
      assert.equal(await person.message(), 'The provider is removed. It no longer signs in to this account.')
      await person.page.getByRole('button', { name: /^Connect / }).click()
      // The provider has a session of the user and redirects straight back.
      await person.page.getByText('The provider is connected. You can sign in with it from now on.').waitFor()
      await person.press('Remove')
      await person.logOut()
      await person.logIn(`${name.toLowerCase()}@example.com`)
      assert.equal(await person.heading(), 'Profile')
      person.assertNoErrors()
    })

    it(`deletes an account without a password after a confirmation, ${how}`, async () => {
      const person = await signInAs(`${name}Gone`, javaScriptEnabled)
      await person.go('/account/data')
      await person.page.getByLabel('Yes, delete my account').check()
      await person.press('Delete my account')
      assert.match(await person.message(), /are deleted/)
      person.assertNoErrors()
    })
  }

  it('sees on a page why a sign-in failed, and can begin again', async () => {
    const { page } = await openPage(browser)
    const response = await page.goto(`${url}/api/oauth/idp?code=x&state=y`)
    assert.equal(response?.status(), 400)
    assert.match(await page.getByRole('main').innerText(), /unknown, finished or expired: please start again/)
    await page.getByRole('main').getByRole('link', { name: 'Log in' }).click()
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Log in')
  })
})
