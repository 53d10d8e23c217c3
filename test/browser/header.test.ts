import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { DESKTOP, INSTALL_LIMIT_MS, launchChromium, openPage, PHONE } from '../support/browser.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { startSite, type TestSite } from '../support/site.ts'

const ENTRIES = {
  Blog: '/blog',
  Projects: '/projects',
  Talks: '/talks',
  Notes: '/notes',
  About: '/about',
  API: '/docs',
}
const NAVIGATION = Object.entries(ENTRIES).map(([title, url]) => `  - { title: ${title}, url: ${url} }`)
const MAX_STOPS = 10

describe('the header', () => {
  let site: TestSite
  let browser: Browser
  const suite = suiteCleanUp()
  async function start(): Promise<void> {
    site = await startSite({
      'site.yaml': `title: The site of Ada Lovelace\nauthor: Ada Lovelace\nnavigation:\n${NAVIGATION.join('\n')}\n`,
    })
    cleanUp(suite, () => site.close())
    browser = await launchChromium(suite)
  }
  before(start, { timeout: INSTALL_LIMIT_MS })

  const entriesOf = (page: Page) => page.getByRole('navigation', { name: 'Site' }).getByRole('link')

  it(`has six entries on one line at ${DESKTOP.width} pixels`, async () => {
    const { page } = await openPage(browser, { viewport: DESKTOP })
    await page.goto(`${site.url}/blog`)
    assert.deepEqual(await entriesOf(page).allTextContents(), Object.keys(ENTRIES))
    const tops = await entriesOf(page).evaluateAll((all) => all.map((link) => link.getBoundingClientRect().top))
    assert.equal(new Set(tops).size, 1, tops.join(' '))
  })

  it('has a menu on a phone that opens and closes by keyboard, without scripts', async () => {
    const { page } = await openPage(browser, { viewport: PHONE, javaScriptEnabled: false })
    await page.goto(`${site.url}/blog`)
    const { keyboard } = page
    const button = page.getByRole('button', { name: 'Menu' })
    assert.equal(await entriesOf(page).count(), 0)
    await stepTo(page, async () => (await page.locator(':focus').getAttribute('aria-label')) === 'Menu')
    await keyboard.press('Enter')
    assert.deepEqual(await entriesOf(page).allTextContents(), Object.keys(ENTRIES))
    for (const box of await entriesOf(page).evaluateAll((all) => all.map((link) => link.getBoundingClientRect()))) {
      assert.ok(box.left >= 0 && box.right <= PHONE.width && box.bottom <= PHONE.height)
    }
    await keyboard.press('Escape')
    assert.equal(await entriesOf(page).count(), 0)
    assert.equal(await button.evaluate((element) => element === element.ownerDocument.activeElement), true)
    await keyboard.press('Enter')
    await stepTo(page, async () => (await page.locator(':focus').textContent()) === 'API')
    await keyboard.press('Enter')
    await page.waitForURL(`${site.url}/docs`)
  })

  /** Presses Tab until the condition is met. */
  async function stepTo(page: Page, isThere: () => Promise<boolean>): Promise<void> {
    for (let stop = 0; stop < MAX_STOPS; stop++) {
      await page.keyboard.press('Tab')
      if (await isThere()) return
    }
    assert.fail(`not reached in ${MAX_STOPS} steps`)
  }
})
