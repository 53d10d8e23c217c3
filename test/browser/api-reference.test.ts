import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { DESKTOP, INSTALL_LIMIT_MS, launchChromium, openPage, PHONE, style } from '../support/browser.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { type Service, startService } from '../support/service.ts'

const CALL = 'post-api-log-in'

describe('the API reference in a browser', () => {
  const suite = suiteCleanUp()
  let service: Service
  let browser: Browser
  let page: Page
  async function start(): Promise<void> {
    service = await startService('sqlite')
    cleanUp(suite, () => service.close())
    browser = await launchChromium(suite)
    // Nothing of the reference needs a script.
    page = (await openPage(browser, { javaScriptEnabled: false, reducedMotion: 'reduce' })).page
  }
  before(start, { timeout: INSTALL_LIMIT_MS })

  async function visit(path: string, viewport: typeof PHONE): Promise<void> {
    await page.setViewportSize(viewport)
    // Otherwise the same page at another fragment is not loaded again.
    await page.goto('about:blank')
    assert.equal((await page.goto(service.url + path))?.status(), 200)
  }

  const call = () => page.locator(`section[aria-labelledby=${CALL}]`)

  async function box(selector: string) {
    const found = await page.locator(selector).boundingBox()
    assert.ok(found, selector)
    return { ...found, right: found.x + found.width, bottom: found.y + found.height }
  }

  it('has three columns on a desktop: navigation, description, example', async () => {
    await visit(`/docs/account-api#${CALL}`, DESKTOP)
    const navigation = await box('.side-nav')
    const about = await box(`section[aria-labelledby=${CALL}] .about`)
    const example = await box(`section[aria-labelledby=${CALL}] .example`)
    assert.ok(navigation.right <= about.x && about.right <= example.x)
    assert.ok(Math.abs(about.y - example.y) < 2)
    // The navigation and the example stay in view while the description scrolls.
    assert.ok(navigation.y >= 0 && navigation.bottom <= DESKTOP.height)
    assert.equal(await style(page.locator('.example').first(), 'position'), 'sticky')
    assert.equal(await page.locator('.side-nav summary').isVisible(), false)
  })

  it('has one column on a phone, and a folded navigation that leads to a call', async () => {
    await visit('/docs/account-api', PHONE)
    const about = await box(`section[aria-labelledby=${CALL}] .about`)
    const example = await box(`section[aria-labelledby=${CALL}] .example`)
    assert.ok(example.y >= about.bottom && example.x === about.x)
    const link = page.locator(`.side-nav details a[href="#${CALL}"]`)
    assert.equal(await link.isVisible(), false)
    await page.locator('.side-nav summary').focus()
    await page.keyboard.press('Enter')
    await link.click()
    assert.ok((await box(`#${CALL}`)).y < PHONE.height / 2)
  })

  it('opens a call at its address, below the edge of the window', async () => {
    await visit(`/docs/account-api#${CALL}`, DESKTOP)
    const { y } = await box(`#${CALL}`)
    assert.ok(y >= 0 && y < 100, `${y} pixels`)
  })

  it('switches an example to TypeScript and back with the keyboard, and leaves the others', async () => {
    await visit('/docs/account-api', DESKTOP)
    const [curl, typescript] = [call().locator('.in-curl'), call().locator('.in-ts')]
    const visible = async () => [await curl.isVisible(), await typescript.isVisible()]
    assert.deepEqual(await visible(), [true, false])
    const group = call().getByRole('group', { name: 'Language of the example: Log in' })
    await group.getByRole('radio', { name: 'curl' }).focus()
    await page.keyboard.press('ArrowRight')
    assert.deepEqual(await visible(), [false, true])
    assert.match(String(await typescript.textContent()), /^const response = await fetch\('http/)
    assert.equal(await style(group.locator(':checked + span'), 'outlineStyle'), 'solid')
    assert.equal(await page.locator('.in-ts:visible').count(), 1)
    await page.keyboard.press('ArrowLeft')
    assert.deepEqual(await visible(), [true, false])
    await group.getByRole('radio', { name: 'TypeScript' }).click()
    assert.deepEqual(await visible(), [false, true])
  })

  it('leads from an error code of a call to its meaning', async () => {
    await visit('/docs/account-api', DESKTOP)
    await call().getByRole('link', { name: 'invalid_credentials' }).click()
    const { y } = await box('#error-invalid_credentials')
    assert.ok(y >= 0 && y < DESKTOP.height)
    assert.match(await style(page.locator('#error-invalid_credentials'), 'backgroundColor'), /^rgb\(/)
  })

  it('shows each method in a tone of its own', async () => {
    await visit('/docs/account-api', DESKTOP)
    const tones = await Promise.all(
      ['GET', 'POST', 'DELETE'].map((method) =>
        style(page.locator('.side-nav .unfolded .method').getByText(method, { exact: true }).first(), 'color'),
      ),
    )
    assert.equal(new Set(tones).size, 3)
  })
})
