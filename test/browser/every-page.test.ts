import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import {
  axeFindings,
  DESKTOP,
  INSTALL_LIMIT_MS,
  launchChromium,
  loadAxe,
  PHONE,
  VISUAL_RULES,
} from '../support/browser.ts'
import { suiteCleanUp } from '../support/clean-up.ts'
import { fullStyles, missingRules } from '../support/missing-rules.ts'
import { ACCOUNT, DESIGN, HOME, LOG_IN, openShown, POST, SECURITY, SHOWN_PAGES } from '../support/shown-pages.ts'
import { type ShownSite, startShownSite } from '../support/shown-site.ts'

// A window of 1280 pixels at a zoom of 200 % has as much room as one of 640.
const ZOOMED = { width: DESKTOP.width / 2, height: DESKTOP.height / 2 }

describe('every page', () => {
  let site: ShownSite
  const pages = {} as { guest: Page; member: Page }
  let fullCss: string
  const suite = suiteCleanUp()

  async function start(): Promise<void> {
    site = await startShownSite(suite)
    const browser: Browser = await launchChromium(suite)
    fullCss = await fullStyles(site.url + DESIGN.path)
    assert.match(fullCss, /\.desk \{/)
    pages.guest = await newPage(browser, false)
    pages.member = await newPage(browser, true)
  }
  before(start, { timeout: INSTALL_LIMIT_MS })

  async function newPage(browser: Browser, isMember: boolean): Promise<Page> {
    // Otherwise axe finds the colours in the middle of a transition from one scheme to the other.
    const options = { bypassCSP: true, reducedMotion: 'reduce' } as const
    const page = await (await site.context(browser, isMember, options)).newPage()
    await loadAxe(page)
    return page
  }

  const pageFor = ({ isForMember = false }) => (isForMember ? pages.member : pages.guest)

  async function assertFits(page: Page, { width, height }: typeof PHONE): Promise<void> {
    await page.setViewportSize({ width, height })
    const wide = await page.evaluate<number>('document.scrollingElement.scrollWidth')
    assert.ok(wide <= width, `the page is ${wide} pixels wide in a window of ${width}`)
  }

  // Colours do not depend on the window, nor the layout on the scheme: two of the four views have all there is. The
  // document is the same in both, so that one of them needs the rules about what is seen only.
  for (const shown of SHOWN_PAGES) {
    it(`has its styles, is accessible in light and dark, and fits on a phone and at 200 %: ${shown.name}`, async () => {
      const page = pageFor(shown)
      await page.emulateMedia({ colorScheme: 'light' })
      await openShown(page, site, shown)
      await assertFits(page, ZOOMED)
      await assertFits(page, PHONE)
      assert.deepEqual(await axeFindings(page, VISUAL_RULES), [], 'in light on a phone')
      await page.emulateMedia({ colorScheme: 'dark' })
      await assertFits(page, DESKTOP)
      assert.deepEqual(await axeFindings(page), [], 'in dark on a desktop')
      assert.deepEqual(await missingRules(page, fullCss), [], 'missing in the style sheets of the page')
    })
  }

  for (const shown of [HOME, POST, LOG_IN, SECURITY, DESIGN]) {
    it(`is accessible with forced colours and with more contrast: ${shown.name}`, async () => {
      const page = pageFor(shown)
      await page.emulateMedia({ colorScheme: 'dark', forcedColors: 'active' })
      await openShown(page, site, shown)
      // Chromium draws the system's colours, but computes -webkit-text-fill-color, which axe reads, from the style sheet.
      const findings = (await axeFindings(page)).filter((finding) => !finding.startsWith('color-contrast'))
      assert.deepEqual(findings, [], 'with forced colours')
      await page.emulateMedia({ colorScheme: 'light', forcedColors: null, contrast: 'more' })
      assert.deepEqual(await axeFindings(page), [], 'with more contrast')
      await page.emulateMedia({ contrast: null })
    })
  }

  for (const shown of [HOME, POST, ACCOUNT]) {
    it(`is printed without the navigation of the site: ${shown.name}`, async () => {
      const page = pageFor(shown)
      await page.setViewportSize(DESKTOP)
      await openShown(page, site, shown)
      const navigation = page.getByRole('banner').getByRole('navigation')
      assert.ok((await navigation.count()) > 0)
      await page.emulateMedia({ media: 'print' })
      assert.equal(await navigation.count(), 0)
      assert.equal(await page.getByRole('banner').getByRole('button').count(), 0)
      assert.equal(await page.getByRole('heading', { level: 1 }).isVisible(), true)
      await page.emulateMedia({ media: null })
    })
  }
})
