import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { INSTALL_LIMIT_MS, launchChromium, SCHEMES } from '../support/browser.ts'
import { suiteCleanUp } from '../support/clean-up.ts'
import { designPicture, differences, openDesign, referencePicture, startDesignSite } from '../support/design-picture.ts'

// Each breaks a component visibly, and some of them only a little.
const BREAKS = {
  'the colour of buttons': 'button { background: red }',
  'the borders of fields': 'input { border-color: transparent !important }',
  'the weight of headings': 'h3 { font-weight: 400 !important }',
  'the spaces of the page': 'p { margin-bottom: 2em !important }',
}
const ADVICE = 'If the new look is wanted: npm run screenshots -- --references'
// The letters of other systems are drawn by another rasterizer.
const skip = process.platform !== 'linux' && 'the references are made on Linux'

describe('the page /dev/design', { skip }, () => {
  let site: { url: string }
  let browser: Browser
  const suite = suiteCleanUp()
  async function start(): Promise<void> {
    site = await startDesignSite(suite)
    browser = await launchChromium(suite)
  }
  before(start, { timeout: INSTALL_LIMIT_MS })

  for (const scheme of SCHEMES) {
    it(`looks as in its reference in ${scheme}`, async () => {
      const page = await openDesign(site, browser, scheme)
      assert.deepEqual(differences(await designPicture(page), await referencePicture(scheme)), [], ADVICE)
    })
  }

  it('looks different when a component is broken', async () => {
    const page = await openDesign(site, browser, 'light')
    const intact = await designPicture(page)
    for (const [what, content] of Object.entries(BREAKS)) {
      const style = await page.addStyleTag({ content })
      assert.notDeepEqual(differences(await designPicture(page), intact), [], what)
      await style.evaluate((element: unknown) => (element as { remove(): void }).remove())
    }
  })
})
