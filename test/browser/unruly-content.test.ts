import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { DESKTOP, INSTALL_LIMIT_MS, launchChromium, openPage, PHONE, style } from '../support/browser.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { markdown, startSite } from '../support/site.ts'

describe('any content of an author', () => {
  const LONG = 'supercalifragilisticexpialidocious'.repeat(5)
  const TEXT = `## ${LONG}\n\n${LONG} https://a.example/${LONG}\n\n- ${LONG}\n\n> ${LONG}\n\n\`${LONG}\`\n\n\`\`\`text\n${LONG}\n\`\`\`
\n| ${LONG} | right |\n|---|---:|\n| a | 1 |\n\n![a picture](wide.svg)\n`
  const FILES = {
    'site.yaml': `title: ${LONG}\nauthor: ${LONG}\nnavigation:\n  - { title: ${LONG}, url: /blog }\n`,
    'posts/post.md': markdown({ title: LONG, description: LONG, date: '2024-01-01', tags: [LONG] }, TEXT),
    'posts/other.md': markdown({ title: LONG, date: '2024-01-02' }),
    'posts/wide.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="3000" height="10"><path d="M0 0h9v9z"/></svg>',
  }

  let browser: Browser
  const suite = suiteCleanUp()
  async function start(): Promise<void> {
    browser = await launchChromium(suite)
  }
  before(start, { timeout: INSTALL_LIMIT_MS })

  for (const viewport of [PHONE, DESKTOP]) {
    it(`fits into a window of ${viewport.width} pixels, and violates no rule of the page`, async (test) => {
      const site = await startSite(FILES)
      cleanUp(test, () => site.close())
      const reader = await openPage(browser, { viewport })
      for (const path of ['/', '/blog', '/blog/post', `/tags/${LONG}`]) {
        await reader.page.goto(site.url + path)
        const wide = await reader.page.evaluate<number>('document.scrollingElement.scrollWidth')
        assert.ok(wide <= viewport.width, `${path} is ${wide} pixels wide`)
      }
      await reader.page.goto(`${site.url}/blog/post`)
      assert.equal(await style(reader.page.locator('td.right'), 'textAlign'), 'right')
      const picture = reader.page.getByRole('img', { name: 'a picture' })
      assert.equal(await picture.evaluate((image) => image.naturalWidth), 3000)
      reader.assertNoErrors()
    })
  }
})
