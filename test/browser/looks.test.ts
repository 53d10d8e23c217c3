import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { LOOKS } from '../../src/content/site.ts'
import {
  axeFindings,
  DESKTOP,
  INSTALL_LIMIT_MS,
  launchChromium,
  loadAxe,
  openPage,
  PHONE,
  style,
  VISUAL_RULES,
} from '../support/browser.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { freePort } from '../support/local-servers.ts'
import { markdown, startSite, type TestSite } from '../support/site.ts'

const TEXT = `First words, with a [link](https://example.com) and \`code\`.

## A part

> A quotation.

> [!NOTE]
> A note.

- one
- two

\`\`\`sh
ls
\`\`\`
`
const PAGES = ['/', '/blog', '/blog/second', '/tags', '/search?q=words', '/log-in']
// Each look has a font of its own for its text.
const FONTS = { portico: 'Portico Sans', journal: 'ui-serif', terminal: 'ui-monospace' }

function filesOf(look: string): Record<string, string> {
  const fields = { tags: ['One', 'Two'], series: 'A series', description: 'What it is about.' }
  return {
    'site.yaml': `title: Site\nlook: ${look}\ntheme: system\n`,
    'posts/first.md': markdown({ title: 'First', date: '2024-01-01', ...fields }, TEXT),
    'posts/second.md': markdown({ title: 'Second', date: '2024-01-02', ...fields }, TEXT),
  }
}

describe('the looks', () => {
  const site = {} as TestSite
  let browser: Browser
  const suite = suiteCleanUp()
  async function start(): Promise<void> {
    const port = String(await freePort())
    Object.assign(site, await startSite(filesOf('portico'), { PORT: port, BASE_URL: `http://127.0.0.1:${port}` }))
    cleanUp(suite, () => site.close())
    browser = await launchChromium(suite)
  }
  before(start, { timeout: INSTALL_LIMIT_MS })

  const fontOf = (page: Page) =>
    page.evaluate<string>('getComputedStyle(document.querySelector("article > p")).fontFamily')

  // The pages of the first look are examined by every-page.test.ts.
  for (const look of LOOKS.slice(1)) {
    it(`are accessible in light and dark, and fit on a phone: ${look}`, async () => {
      await site.write('site.yaml', `title: Site\nlook: ${look}\n`)
      const context = await browser.newContext({ bypassCSP: true, reducedMotion: 'reduce' })
      const page = await context.newPage()
      await loadAxe(page)
      for (const path of PAGES) {
        await page.setViewportSize(PHONE)
        await page.emulateMedia({ colorScheme: 'light' })
        await page.goto(site.url + path)
        assert.equal(await page.evaluate('document.scrollingElement.scrollWidth'), PHONE.width, path)
        assert.deepEqual(await axeFindings(page, VISUAL_RULES), [], `${path} in light on a phone`)
        await page.setViewportSize(DESKTOP)
        await page.emulateMedia({ colorScheme: 'dark' })
        assert.deepEqual(await axeFindings(page), [], `${path} in dark on a desktop`)
      }
      await page.goto(`${site.url}/blog/second`)
      assert.ok((await fontOf(page)).includes(FONTS[look]))
      // A callout is a quotation in the markup, and no look shows it as one.
      const callout = page.locator('.callout')
      assert.deepEqual([await style(callout, 'fontStyle'), await style(callout, 'marginLeft')], ['normal', '0px'])
      await context.close()
    })
  }

  it('print a post with the addresses of its links, and without navigation', async () => {
    const { page } = await openPage(browser)
    await page.goto(`${site.url}/blog/second`)
    await page.emulateMedia({ media: 'print' })
    const after = await page.evaluate(
      'getComputedStyle(document.querySelector("article a[href^=http]"), "::after").content',
    )
    assert.match(String(after), /\(https:\/\/example\.com/)
    for (const part of ['.neighbours', 'footer.site', '.parts-of-series details', 'header.site nav'])
      assert.equal(await page.locator(part).first().isVisible(), false, part)
    assert.equal(await page.getByRole('heading', { level: 1 }).isVisible(), true)
    const text = page.locator('article > p').first()
    const inLight = await style(text, 'color')
    await page.evaluate('document.documentElement.dataset.theme = "dark"')
    assert.equal(await style(text, 'color'), inLight)
  })

  it('show structured data to no script engine, and nothing of it is refused', async () => {
    const { page, assertNoErrors } = await openPage(browser)
    const refusals: string[] = []
    await page.exposeFunction('refused', (directive: string) => void refusals.push(directive))
    await page.addInitScript('addEventListener("securitypolicyviolation", (event) => refused(event.violatedDirective))')
    await page.goto(`${site.url}/blog/second`)
    const text = await page.evaluate<string>(
      'document.querySelector("script[type=\\"application/ld+json\\"]").textContent',
    )
    assert.equal(JSON.parse(text)['@graph'][0]['@type'], 'BlogPosting')
    assert.deepEqual(refusals, [])
    assertNoErrors()
  })

  it('fade from page to page, unless the reader avoids motion', async () => {
    for (const [reducedMotion, isFading] of [
      ['no-preference', true],
      ['reduce', false],
    ] as const) {
      const { page } = await openPage(browser, { reducedMotion })
      await page.addInitScript(
        'addEventListener("pagereveal", (event) => { window.isFading = Boolean(event.viewTransition) })',
      )
      await page.goto(`${site.url}/blog`)
      await page.getByRole('link', { name: 'Second' }).click()
      await page.waitForURL('**/blog/second')
      assert.equal(await page.evaluate('window.isFading'), isFading, reducedMotion)
    }
  })
})
