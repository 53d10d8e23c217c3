import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { INSTALL_LIMIT_MS, launchChromium, openPage, type WatchedPage } from '../support/browser.ts'
import { suiteCleanUp } from '../support/clean-up.ts'
import { blockExternalRequests, startDemo } from './demo.ts'

const NAME = 'Grace'
const PASSWORD = 'any-password-will-do'

describe('the demo', () => {
  let browser: Browser
  let visitor: WatchedPage
  let url: string

  const suite = suiteCleanUp()
  async function start(): Promise<void> {
    url = await startDemo(suite)
    browser = await launchChromium(suite)
    visitor = await openPage(browser)
    await blockExternalRequests(visitor.page.context())
  }
  before(start, { timeout: INSTALL_LIMIT_MS })

  const header = (page: Page) => page.getByRole('banner').innerText()

  it('signs a browser in through its provider, with any name and any password', async () => {
    const { page, assertNoErrors } = visitor
    await page.goto(`${url}/log-in`)
    assert.match(await header(page), /Log in/)
    await page.getByRole('link', { name: /^Continue with/ }).click()

    await page.locator('input[name=login]').fill(NAME)
    await page.locator('input[name=password]').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign-in' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()

    await page.waitForURL(`${url}/account`)
    assert.match(await header(page), new RegExp(NAME))
    assert.equal(await page.getByLabel('Last name').inputValue(), 'of the demo')
    assert.match(await page.locator('main').innerText(), /grace@example\.com/)
    assertNoErrors()
  })

  it('recognizes the browser again', async () => {
    const again = await visitor.page.context().newPage()
    await again.goto(url)
    assert.match(await header(again), new RegExp(NAME))
  })

  it('does not recognize another browser', async () => {
    const { page } = await openPage(browser)
    await page.goto(url)
    assert.match(await header(page), /Log in/)
    assert.doesNotMatch(await header(page), new RegExp(NAME))
  })

  it('keeps the session where no script can read it, and in no URL', async () => {
    const { page, urls } = visitor
    const cookies = await page.context().cookies(url)
    const session = cookies.find(({ name }) => name === 'portico_session')
    assert.ok(session?.value)
    assert.equal(session.httpOnly, true)
    assert.equal(session.sameSite, 'Lax')
    assert.ok(!(await page.evaluate<string>('document.cookie')).includes(session.name))

    // All URLs of the sign-in were recorded, so a token would have been found.
    assert.ok(urls.some((seen) => seen.startsWith(`${url}/api/oauth/idp?code=`)))
    for (const seen of urls) {
      assert.ok(!seen.includes(session.value) && !seen.includes(PASSWORD), seen)
      assert.doesNotMatch(seen, /eyJ[\w-]+\.|(access|refresh|id)_?token=/i)
    }
  })
})
