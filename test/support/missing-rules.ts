import type { Page } from 'playwright-core'

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

/** The style sheet with the rules of all pages, which the page of all components has. */
export async function fullStyles(componentsUrl: string): Promise<string> {
  const body = await (await fetch(componentsUrl)).text()
  const [, path = ''] = /<link rel="stylesheet" href="(\/assets\/full\.[^"]+)">/.exec(body) ?? []
  return (await fetch(new URL(path, componentsUrl))).text()
}

/** The selectors of rules in `fullCss` that match an element of the page, and that its own style sheets do not have. */
export function missingRules(page: Page, fullCss: string): Promise<string[]> {
  return page.evaluate<string[]>(`(${MISSING_RULES})(${JSON.stringify(fullCss)})`)
}
