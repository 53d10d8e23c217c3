import { readFile } from 'node:fs/promises'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const AXE = await readFile(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** From now on axe is in every document of the page. Its context must bypass policies: axe brings styles of its own. */
export async function bringAxe(page: Page): Promise<void> {
  await page.addInitScript(AXE)
}

/** What axe finds wrong with what the page shows, a line each. */
export async function axeFindings(page: Page): Promise<string[]> {
  const options = { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }
  const { violations, passes }: AxeResults = await page.evaluate(`axe.run(${JSON.stringify(options)})`)
  // On a page without text, or when axe has not run, there is no contrast to find fault with.
  const hasLooked = [...violations, ...passes].some(({ id }) => id === 'color-contrast')
  const findings = violations.map(({ id, help, nodes }) => {
    const [first] = nodes
    return `${id} (${nodes.length} times): ${help}: ${first?.html.slice(0, 120)} ${first?.failureSummary}`
  })
  return hasLooked ? findings : [...findings, 'axe has not looked at any text']
}
