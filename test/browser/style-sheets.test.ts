import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { INSTALL_LIMIT_MS, launchChromium } from '../support/browser.ts'
import { suiteCleanUp } from '../support/clean-up.ts'
import { DESIGN, openShown, SHOWN_PAGES } from '../support/shown-pages.ts'
import { type ShownSite, startShownSite } from '../support/shown-site.ts'

const SHOWN = SHOWN_PAGES.filter(({ entered }) => !entered)
/** Rules of `fullCss` that the style sheets of the page do not have, and whose selectors match one of its elements. */
const MISSING_RULES = String.raw`(fullCss) => {
  const rulesOf = (rules) => [...rules].flatMap((rule) => [rule, ...(rule.cssRules ? rulesOf(rule.cssRules) : [])])
  const styleRules = (sheets) => sheets.flatMap((sheet) => rulesOf(sheet.cssRules)).filter((rule) => rule.selectorText)
  const full = new CSSStyleSheet()
  full.replaceSync(fullCss)
  const known = new Set(styleRules([...document.styleSheets]).map((rule) => rule.cssText))
  // Pseudo-elements and states match no element by themselves.
  const state = ':(?:hover|active|focus-visible|focus|checked|disabled|target-current|target)(?![\\w-])'
  const matchable = (selector) =>
    selector
      .replaceAll(/::[\w-]+/g, '')
      .replaceAll(new RegExp(':not\\(' + state + '\\)', 'g'), '')
      .replaceAll(new RegExp(state, 'g'), ':is(*)')
  return styleRules([full])
    .filter((rule) => !known.has(rule.cssText))
    .map((rule) => rule.selectorText)
    .filter((selector) => document.querySelector(matchable(selector)) !== null)
}`

describe('the style sheet of a page', () => {
  const suite = suiteCleanUp()
  let site: ShownSite
  let browser: Browser
  let fullCss: string
  before(
    async () => {
      site = await startShownSite(suite)
      browser = await launchChromium(suite)
      const body = await (await fetch(site.url + DESIGN.path)).text()
      const [, path = ''] = /<link rel="stylesheet" href="(\/assets\/full\.[^"]+)">/.exec(body) ?? []
      fullCss = await (await fetch(site.url + path)).text()
      assert.match(fullCss, /\.desk \{/)
    },
    { timeout: INSTALL_LIMIT_MS },
  )

  it('has every rule of the full style sheet that the page needs', async () => {
    const missing: string[] = []
    for (const isForMember of [false, true]) {
      const page = await (await site.context(browser, isForMember, { bypassCSP: true })).newPage()
      for (const shown of SHOWN.filter((shown) => (shown.isForMember ?? false) === isForMember)) {
        await openShown(page, site, shown)
        const selectors = await page.evaluate<string[]>(`(${MISSING_RULES})(${JSON.stringify(fullCss)})`)
        missing.push(...selectors.map((selector) => `${shown.name}: ${selector}`))
      }
    }
    assert.deepEqual(missing, [])
  })
})
