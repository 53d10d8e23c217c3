import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import {
  axeFindings,
  DESKTOP,
  INSTALL_LIMIT_MS,
  launchChromium,
  loadAxe,
  openPage,
  PHONE,
  SCHEMES,
  style,
  styles,
  type WatchedPage,
} from '../support/browser.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { markdown, startSite, type TestSite } from '../support/site.ts'

const PICTURE = await readFile(new URL('../../docs/images/post-dark.png', import.meta.url))
const CALLOUTS = ['NOTE', 'TIP', 'IMPORTANT', 'WARNING', 'CAUTION']
const TEXT = String.raw`Text with a footnote[^1], ==marked words== and $x^2$. Again[^1].

## Callouts

${CALLOUTS.map((name) => `> [!${name}]\n> Text with \`code\` and [a link](/blog).`).join('\n\n')}

## Formulas

$$
\begin{aligned} \frac{a}{b} &= c \\ \sqrt{\boxed{d}} &= ${'e + '.repeat(80)} f \end{aligned}
$$

## Code

${'```'}ts {1} lineNumbers diff title="src/a.ts"
 const first = 1
+const second = 2
-const third = 3
${'```'}

${'```'}diff
-old
+new
${'```'}

## Others

Term
: Definition

- [ ] To do
- [x] Done
- Plain

![A page](/images/a.png "The caption of the picture")

[^1]: The note.`

describe('the markup of a post in a browser', () => {
  let browser: Browser
  let site: TestSite
  const suite = suiteCleanUp()
  async function start(): Promise<void> {
    site = await startSite({
      'posts/post.md': markdown({ title: 'Post', date: '2026-01-01' }, TEXT),
      'images/a.png': PICTURE,
    })
    cleanUp(suite, () => site.close())
    browser = await launchChromium(suite)
  }
  before(start, { timeout: INSTALL_LIMIT_MS })

  async function open(options = {}): Promise<WatchedPage> {
    const reader = await openPage(browser, { viewport: DESKTOP, ...options })
    if ('bypassCSP' in options) await loadAxe(reader.page)
    await reader.page.goto(`${site.url}/blog/post`)
    return reader
  }

  it('violates no policy, moves nothing while it loads, and fits on a phone', async () => {
    for (const viewport of [DESKTOP, PHONE]) {
      const { page, assertNoErrors } = await open({ viewport })
      const wide = await page.evaluate<number>('document.scrollingElement.scrollWidth')
      assert.ok(wide <= viewport.width, `${wide} pixels`)
      const shift = `new Promise((done) => {
        let sum = 0
        const add = (entries) => entries.forEach(({ value }) => (sum += value))
        const observer = new PerformanceObserver((list) => add(list.getEntries()))
        observer.observe({ type: 'layout-shift', buffered: true })
        requestAnimationFrame(() => requestAnimationFrame(() => {
          add(observer.takeRecords())
          done(sum)
        }))
      })`
      assert.ok((await page.evaluate<number>(shift)) < 0.01)
      assertNoErrors()
    }
  })

  it('has no findings of axe in light and dark', async () => {
    for (const colorScheme of SCHEMES) {
      const { page } = await open({ bypassCSP: true, colorScheme })
      assert.deepEqual(await axeFindings(page), [])
    }
  })

  it('draws formulas, callouts and lines of code', async () => {
    const { page } = await open()
    const [fraction, letter] = await Promise.all(
      ['mfrac', 'mfrac mi'].map((name) => page.locator(name).first().boundingBox()),
    )
    // MathML is laid out: a fraction is higher than its letters, and a superscript is smaller than its base.
    assert.ok((fraction?.height ?? 0) > 1.8 * (letter?.height ?? 1))
    const [base, exponent] = await styles(page.locator('msup').first().locator('mi, mn'), 'fontSize')
    assert.ok(Number.parseFloat(exponent ?? '') < Number.parseFloat(base ?? ''))
    assert.equal(await style(page.locator('.m-border-1px-solid'), 'borderTopStyle'), 'solid')

    const colours = await styles(page.locator('.callout-title'), 'color')
    assert.equal(new Set(colours).size, CALLOUTS.length)
    for (const name of CALLOUTS) {
      const label = name[0] + name.slice(1).toLowerCase()
      assert.equal(await page.getByRole('note', { name: label, exact: true }).count(), 1)
    }

    const lines = page.locator('.numbered .line')
    const backgrounds = await styles(lines, 'backgroundColor')
    assert.equal(new Set(backgrounds).size, 3)
    const boxes = await lines.evaluateAll((all) => all.map((line) => line.getBoundingClientRect().toJSON()))
    assert.deepEqual(
      boxes.map(({ width, height }) => [width, height]),
      boxes.map(() => [boxes[0].width, boxes[0].height]),
    )
    assert.ok(Math.abs(boxes[1].top - boxes[0].bottom) < 1, 'there is a gap between two lines')
  })

  it('shows the caption of a picture below it, and the title of code above it', async () => {
    const { page } = await open()
    const boxOf = async (selector: string) => {
      const box = await page.locator(selector).boundingBox()
      assert.ok(box && box.height > 0, selector)
      return { ...box, bottom: box.y + box.height }
    }
    const caption = page.locator('figure:not(.code-figure) > figcaption')
    assert.equal(await caption.innerText(), 'The caption of the picture')
    assert.ok((await boxOf('figure img')).bottom <= (await boxOf('figure:not(.code-figure) > figcaption')).y)
    assert.equal(await page.locator('.code-figure > figcaption').innerText(), 'src/a.ts')
    const [title, code] = [await boxOf('.code-figure > figcaption'), await boxOf('.code-figure pre')]
    assert.ok(Math.abs(code.y - title.bottom) < 1, 'there is a gap between the title and the code')
    assert.deepEqual([title.x, title.width], [code.x, code.width])
  })

  it('sets off terms, definitions and marked words', async () => {
    const { page } = await open()
    const [term, definition] = await Promise.all(['dl dt', 'dl dd'].map((part) => page.locator(part).boundingBox()))
    assert.ok(term && definition && definition.y >= term.y + term.height)
    assert.ok(Number(await style(page.locator('dl dt'), 'fontWeight')) >= 600)
    assert.ok(Number.parseFloat(await style(page.locator('dl dd'), 'paddingLeft')) > 10)
    const marks = new Set<string>()
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme })
      marks.add(await style(page.locator('p mark'), 'backgroundColor'))
    }
    assert.equal(marks.size, 2)
    assert.ok(!marks.has('rgba(0, 0, 0, 0)'))
  })

  it('shows tasks with a box in the place of the bullet, which nobody can change', async () => {
    const { page } = await open()
    const items = page.locator('article ul:not(.tags) > li')
    assert.deepEqual(await items.allInnerTexts(), ['☐ To do', '☑ Done', 'Plain'])
    assert.deepEqual(await styles(items, 'listStyleType'), ['none', 'none', 'disc'])
    await items.first().click()
    assert.equal(await items.first().innerText(), '☐ To do')
    assert.equal(await page.locator('article').locator('input, [role=checkbox], [contenteditable]').count(), 0)
  })

  it('gives each heading a link to itself, which shows when it is needed and leads back to the heading', async () => {
    const { page } = await open()
    const heading = page.getByRole('heading', { name: 'Others' })
    const anchor = heading.getByRole('link', { name: 'Link to this section' })
    assert.equal(await style(anchor, 'opacity'), '0')
    await heading.hover()
    assert.equal(await style(anchor, 'opacity'), '1')
    await anchor.click()
    await page.waitForURL(`${site.url}/blog/post#others`)
    assert.equal(await page.locator(':target').getAttribute('id'), await heading.getAttribute('id'))
    const other = await openPage(browser, { viewport: DESKTOP })
    await other.page.goto(page.url())
    await other.page.waitForFunction(
      'scrollY > 0 && document.querySelector(":target").getBoundingClientRect().top < innerHeight',
    )
    const box = await other.page.locator('#others').boundingBox()
    assert.ok(box && box.y >= 0, `at ${box?.y}`)
  })

  it('copies code without numbers, marks and removed lines, and a patch as it is', async () => {
    const { page } = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
    const copied: string[] = []
    for (const button of await page.locator('button.copy').all()) {
      await button.click()
      await button.getByText('Copied').waitFor()
      copied.push(await page.evaluate('navigator.clipboard.readText()'))
    }
    assert.deepEqual(
      copied.map((text) => text.trimEnd()),
      ['const first = 1\nconst second = 2', '-old\n+new'],
    )
  })

  it('leads from a reference to its footnote, and back', async () => {
    const { page } = await open()
    await page.locator('[role=doc-noteref][aria-label="Footnote 1"]').last().click()
    assert.equal(await page.locator(':target').getAttribute('id'), 'fn:1')
    await page.locator('[role=doc-backlink]').last().click()
    assert.equal(await page.locator(':target').getAttribute('id'), 'fnref:1:2')
  })
})
