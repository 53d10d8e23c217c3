import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { createMessages } from '../../src/mail/messages.ts'
import { sampleMessages } from '../../src/mail/sample-messages.ts'
import { createSiteIdentity } from '../../src/mail/site-identity.ts'
import {
  axeFindings,
  contrast,
  DESKTOP,
  INSTALL_LIMIT_MS,
  launchChromium,
  loadAxe,
  openPage,
  PHONE,
  style,
} from '../support/browser.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { startSite, type TestSite } from '../support/site.ts'

const MIN_CONTRAST = 4.5
const MAX_WIDTH_PX = 480
const SMALL = { width: 320, height: 640 }
// Among them colours that are too light or too dark to be text as they are.
const ACCENTS = ['#0b6e5f', '#ffee00', '#ffffff', '#000000', '#ff0000', '#0000ff', '#8a2be2']

/** Every mail of a site with this accent. */
function samplesWith(accent: string): { name: string; html: string }[] {
  const site = createSiteIdentity('https://ada.example')
  site.setSource(() => ({ title: "Ada's Garden", accent }))
  return sampleMessages(createMessages(site)).map(({ name, message }) => ({ name, html: message.html }))
}

interface TextOnGround {
  text: string
  colour: string
  ground: string
}

/** Each shown text of the page with its colour and the nearest background behind it. */
const textsOf = (page: Page): Promise<TextOnGround[]> =>
  page.evaluate(`[...document.body.querySelectorAll('*')]
    .filter((element) => element.checkVisibility() && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
    .map((element) => {
      const isOpaque = (each) => getComputedStyle(each).backgroundColor !== 'rgba(0, 0, 0, 0)'
      let ground = element
      while (ground.parentElement && !isOpaque(ground)) ground = ground.parentElement
      return {
        text: element.textContent.trim(),
        colour: getComputedStyle(element).color,
        ground: getComputedStyle(ground).backgroundColor,
      }
    })`)

describe('a mail in a browser', () => {
  const suite = suiteCleanUp()
  let browser: Browser
  async function start(): Promise<void> {
    browser = await launchChromium(suite)
  }
  before(start, { timeout: INSTALL_LIMIT_MS })

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`has a contrast of at least 4.5 in ${colorScheme} colours, with any accent`, async () => {
      const { page } = await openPage(browser, { colorScheme })
      const grounds = new Set<string>()
      for (const accent of ACCENTS) {
        for (const { name, html } of samplesWith(accent)) {
          await page.setContent(html)
          const texts = await textsOf(page)
          assert.ok(texts.length > 5)
          const faint = texts.filter(({ colour, ground }) => contrast(colour, ground) < MIN_CONTRAST)
          assert.deepEqual(faint, [], `${name} with ${accent}`)
          grounds.add(await style(page.locator('body'), 'background-color'))
        }
      }
      assert.deepEqual([...grounds], [colorScheme === 'dark' ? 'rgb(18, 19, 20)' : 'rgb(251, 250, 248)'])
    })

    it(`is light and shows its preview without style sheets, in a ${colorScheme} system`, async () => {
      const { page } = await openPage(browser, { colorScheme })
      for (const { name, html } of samplesWith('#0b6e5f')) {
        await page.setContent(html.replace(/<style>.*?<\/style>/s, '').replace(/<meta [^>]*color-scheme[^>]*>/g, ''))
        const faint = (await textsOf(page)).filter(({ colour, ground }) => contrast(colour, ground) < MIN_CONTRAST)
        assert.deepEqual(faint, [], name)
        assert.equal(await page.locator('.preview').isVisible(), true, name)
      }
    })
  }

  it('hides its preview', async () => {
    const { page } = await openPage(browser)
    for (const { html } of samplesWith('#0b6e5f')) {
      await page.setContent(html)
      assert.equal(await page.locator('.preview').isVisible(), false)
    }
  })

  for (const viewport of [SMALL, PHONE, DESKTOP]) {
    it(`is one column that fits at ${viewport.width} pixels`, async () => {
      const { page } = await openPage(browser, { viewport })
      for (const { name, html } of samplesWith('#0b6e5f')) {
        await page.setContent(html)
        assert.equal(await page.evaluate('document.scrollingElement.scrollWidth'), viewport.width, name)
        const card = await page.locator('.card').boundingBox()
        assert.ok(card && card.width <= MAX_WIDTH_PX, name)
        for (const button of await page.locator('td > a').all()) {
          const box = await button.boundingBox()
          assert.ok(box && box.height >= 44, `a button of ${name} is too small for a finger`)
        }
      }
    })
  }
})

describe('/dev/mails in a browser', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  let browser: Browser
  async function start(): Promise<void> {
    Object.assign(site, await startSite({ 'site.yaml': "title: Ada's Garden\n" }))
    cleanUp(suite, () => site.close())
    browser = await launchChromium(suite)
  }
  before(start, { timeout: INSTALL_LIMIT_MS })

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`frames each mail in light and in dark colours, in a ${colorScheme} system`, async () => {
      const { page, assertNoErrors } = await openPage(browser, { colorScheme, viewport: DESKTOP })
      await page.goto(`${site.url}/dev/mails`)
      const frames = page.locator('iframe[src*="resetCode"]')
      assert.equal(await frames.count(), 2)
      for (const [index, ground] of ['rgb(251, 250, 248)', 'rgb(18, 19, 20)'].entries()) {
        await frames.nth(index).scrollIntoViewIfNeeded()
        const mail = frames.nth(index).contentFrame()
        await mail.getByRole('heading', { name: 'Reset your password' }).waitFor()
        assert.equal(await style(mail.locator('body'), 'background-color'), ground)
      }
      const [light, dark] = [await frames.nth(0).boundingBox(), await frames.nth(1).boundingBox()]
      assert.ok(light && dark && light.y === dark.y && light.x < dark.x, 'the frames are not side by side')
      assertNoErrors()
    })
  }

  for (const viewport of [PHONE, DESKTOP]) {
    it(`fits and satisfies axe at ${viewport.width} pixels`, async () => {
      const { page } = await openPage(browser, { bypassCSP: true, viewport })
      await loadAxe(page)
      await page.goto(`${site.url}/dev/mails`)
      assert.equal(await page.evaluate('document.scrollingElement.scrollWidth'), viewport.width)
      await page.locator('summary').first().click()
      assert.deepEqual(await axeFindings(page), [])
    })
  }
})
