import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { DESKTOP, INSTALL_LIMIT_MS, launchChromium, PHONE } from '../support/browser.ts'
import { suiteCleanUp } from '../support/clean-up.ts'
import { BLOG, DOCS, HOME, LOG_IN, POST, SEARCH, type ShownPage } from '../support/shown-pages.ts'
import { type ShownSite, startShownSite } from '../support/shown-site.ts'

// "Good" is up to 0.1 (https://web.dev/articles/cls).
const MAX_SHIFT = 0.02
// On a phone, a line in the text of a result may break elsewhere with the font, which moves all results below it.
const MAX_SEARCH_SHIFT = 0.05
const FONT_FILES = '**/*.woff2'
const STYLE_SHEETS = '**/*.css'
// Until the font of the site is loaded, its text is in Arial. Arimo has the same widths, and any machine can have it.
const ARIMO = await readFile(
  new URL('files/arimo-latin-400-normal.woff2', import.meta.resolve('@fontsource/arimo/package.json')),
  'base64',
)
const OBSERVE = `
  globalThis.shift = 0
  const add = (entries) => { for (const { value } of entries) shift += value }
  const observer = new PerformanceObserver((list) => add(list.getEntries()))
  observer.observe({ type: 'layout-shift' })
  globalThis.painted = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  globalThis.takeShift = async () => {
    await painted()
    add(observer.takeRecords())
    const sum = shift
    shift = 0
    return sum
  }`

describe('the text of a page', () => {
  let site: ShownSite
  let browser: Browser
  const suite = suiteCleanUp()
  async function start(): Promise<void> {
    site = await startShownSite(suite)
    browser = await launchChromium(suite)
  }
  before(start, { timeout: INSTALL_LIMIT_MS })

  async function newPage(viewport: typeof PHONE): Promise<Page> {
    const page = await (await browser.newContext({ viewport, bypassCSP: true })).newPage()
    await page.addInitScript(OBSERVE)
    return page
  }

  /** Layout shift of a page whose font is there from the first paint on. */
  async function shiftWithFont(shown: ShownPage, viewport: typeof PHONE): Promise<number> {
    const page = await newPage(viewport)
    const font = page.waitForResponse(FONT_FILES)
    await page.route(STYLE_SHEETS, async (route) => {
      await (await font).finished()
      await route.continue()
    })
    await page.goto(site.url + shown.path)
    const shift = await page.evaluate<number>('takeShift()')
    await page.context().close()
    return shift
  }

  /** Layout shift at the moment in which the font arrives. */
  async function shiftByFont(shown: ShownPage, viewport: typeof PHONE, change = (css: string) => css): Promise<number> {
    const page = await newPage(viewport)
    await page.route(STYLE_SHEETS, async (route) => {
      const response = await route.fetch()
      const css = change(await response.text())
      assert.ok(css.includes('local("Arial")'))
      await route.fulfill({ response, body: css.replace('local("Arial")', `url(data:font/woff2;base64,${ARIMO})`) })
    })
    const arrival = Promise.withResolvers<void>()
    await page.route(FONT_FILES, async (route) => {
      await arrival.promise
      await route.continue()
    })
    await page.goto(site.url + shown.path, { waitUntil: 'domcontentloaded' })
    await page.evaluate(`document.fonts.load('1em "Portico Sans Fallback"').then(takeShift)`)
    assert.equal(await page.evaluate(`document.fonts.check('1em "Portico Sans"')`), false)
    arrival.resolve()
    await page.evaluate(`document.fonts.load('1em "Portico Sans"')`)
    const shift = await page.evaluate<number>('document.fonts.ready.then(takeShift)')
    assert.equal(await page.evaluate(`document.fonts.check('1em "Portico Sans"')`), true)
    await page.context().close()
    return shift
  }

  for (const shown of [HOME, POST, BLOG, SEARCH, LOG_IN, DOCS]) {
    it(`does not move while the page loads, nor when its font arrives: ${shown.name}`, async () => {
      for (const viewport of [PHONE, DESKTOP]) {
        const shifts = [await shiftWithFont(shown, viewport), await shiftByFont(shown, viewport)]
        const max = shown === SEARCH ? MAX_SEARCH_SHIFT : MAX_SHIFT
        for (const shift of shifts) assert.ok(shift < max, `${shifts} in a window of ${viewport.width} pixels`)
      }
    })
  }

  it('would move if the font before it had other widths', async () => {
    const shift = await shiftByFont(HOME, PHONE, (css) => css.replace(/size-adjust:[^;}]+/, 'size-adjust:120%'))
    assert.ok(shift > MAX_SHIFT, String(shift))
  })
})
