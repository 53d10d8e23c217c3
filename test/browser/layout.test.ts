import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import {
  axeFindings,
  DESKTOP,
  INSTALL_LIMIT_MS,
  launchChromium,
  loadAxe,
  openPage,
  PHONE,
  style,
} from '../support/browser.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { eventually, markdown, startSite, type TestSite } from '../support/site.ts'

const LONG = 'A long title about accounts, sessions, tokens and everything else that a reader may want to know of them'
const PROSE = 'A sentence with several words, which should be read without a break after each of them.'
const WIDE = `| Setting | ${'Meaning | '.repeat(5)}
|---|${'---|'.repeat(5)}
| \`SESSION_LIFETIME\` | ${`${PROSE} | `.repeat(5)}

| Day | Share |
|---|---:|
| Monday | 12 % |
`
const RTL =
  'פסקה בעברית עם English!\n\n## כותרת\n\n- פריט\n- English\n\n> ציטוט\n\n| שם | מחיר |\n|---|---|\n| לחם | x |\n\nEnglish.'
const FILES = {
  'posts/oldest.md': markdown({ title: LONG, date: '2024-01-01' }),
  'posts/wide.md': markdown({ title: 'Short', date: '2024-01-02' }, WIDE),
  'posts/rtl.md': markdown({ title: 'שלום', description: 'תיאור', date: '2024-01-03', tags: ['עברית'] }, RTL),
  'posts/middle.md': markdown({ title: 'Middle', date: '2024-01-04' }),
  'posts/newest.md': markdown({ title: LONG, date: '2024-01-05' }),
  'posts/rough.md': markdown({ title: 'Rough', date: '2024-01-05', draft: true }),
  'posts/later.md': markdown({ title: 'Later', date: '2999-01-01' }),
}

interface Box {
  left: number
  right: number
  top: number
  bottom: number
  width: number
  height: number
}

describe('the layout', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  let browser: Browser
  let page: Page
  async function start(): Promise<void> {
    Object.assign(site, await startSite(FILES))
    cleanUp(suite, () => site.close())
    browser = await launchChromium(suite)
    page = (await openPage(browser)).page
  }
  before(start, { timeout: INSTALL_LIMIT_MS })

  async function visit(path: string, viewport = DESKTOP): Promise<void> {
    await page.setViewportSize(viewport)
    assert.equal((await page.goto(site.url + path))?.status(), 200)
  }

  const boxes = (selector: string): Promise<Box[]> =>
    page.locator(selector).evaluateAll((all) => all.map((element) => element.getBoundingClientRect().toJSON()))

  async function box(selector: string): Promise<Box> {
    const [found, ...more] = await boxes(selector)
    assert.ok(found && more.length === 0, selector)
    return found
  }

  for (const viewport of [PHONE, DESKTOP]) {
    it(`lets a wide table scroll within itself at ${viewport.width} pixels, with several words a line`, async () => {
      await visit('/blog/wide', viewport)
      const [wide, narrow] = await boxes('.table')
      const pageWidth = await page.evaluate<number>('document.scrollingElement.scrollWidth')
      assert.ok(wide && narrow && wide.right <= viewport.width && pageWidth <= viewport.width)
      const [scrolled, fitting] = await page
        .locator('.table')
        .evaluateAll((all) => all.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))
      assert.ok((scrolled ?? 0) > 100, `${scrolled} pixels to scroll`)
      assert.equal(fitting, 0)
      // 88 characters in lines of 11rem at least: six lines and not sixteen.
      const cells = await boxes('.table >> nth=0 >> td:nth-child(n+2)')
      assert.equal(cells.length, 5)
      for (const { width, height } of cells) {
        assert.ok(width >= 175, `${width} pixels wide`)
        assert.ok(height < 8 * 28, `${height} pixels high`)
      }
    })

    it(`has older and newer posts beside each other or one above the other at ${viewport.width} pixels`, async () => {
      for (const path of ['/blog/wide', '/blog/middle', '/blog/oldest', '/blog/newest']) {
        await visit(path, viewport)
        const nav = await box('.neighbours')
        const links = await boxes('.neighbours a')
        const room = viewport === PHONE ? nav.width : (nav.width - 16) / 2
        for (const { left, right, width } of links) {
          assert.ok(left >= nav.left && right <= nav.right + 1)
          assert.ok(Math.abs(width - room) <= 1, `${path}: ${width} of ${room} pixels`)
        }
        const [older, newer] = links
        if (older && newer) {
          if (viewport === PHONE) assert.ok(older.bottom <= newer.top)
          else assert.ok(older.right <= newer.left && older.top === newer.top)
        }
      }
      await visit('/blog/oldest', viewport)
      // A single link is at its own side.
      if (viewport === DESKTOP) assert.ok((await box('.neighbours [rel=next]')).left > viewport.width / 2)
    })
  }

  it('can be scrolled with a keyboard, and has a label for the table', async () => {
    await visit('/blog/wide', PHONE)
    const table = page.getByRole('group', { name: /^Table: Setting, Meaning/ })
    await table.focus()
    await page.keyboard.press('ArrowRight')
    await eventually(async () => assert.ok(await page.evaluate('document.activeElement.scrollLeft > 0')))
  })

  it('has the direction of the language of each text', async () => {
    await visit('/blog/rtl')
    const direction = (selector: string) => style(page.locator(selector), 'direction')
    for (const selector of ['h1', '.lead', 'h2', 'ul:not(.tags)', 'blockquote', 'table']) {
      assert.equal(await direction(selector), 'rtl', selector)
    }
    assert.equal(await direction('article > p:last-of-type'), 'ltr')
    const { right } = await box('article')
    assert.equal(await style(page.locator('.meta'), 'textAlign'), 'right')
    const [first, second] = await boxes('th')
    assert.ok(first && second && first.left >= second.right - 1)
    // Items and cells of another language stay at the side of their list or table.
    for (const text of ['English', 'x']) {
      const [rectangle] = await page
        .locator(text === 'x' ? 'td' : 'ul:not(.tags) li')
        .filter({ hasText: new RegExp(`^${text}$`) })
        .evaluateAll((all) =>
          all.map((element) => {
            const range = element.ownerDocument.createRange()
            range.selectNodeContents(element)
            return { text: range.getBoundingClientRect().right, box: element.getBoundingClientRect().right }
          }),
        )
      assert.ok(rectangle && rectangle.box - rectangle.text < 20, text)
    }
    assert.ok((await box('ul:not(.tags)')).right <= right)
    await visit('/sign-up')
    await page.locator('[name=firstName]').fill('שרה')
    assert.equal(await direction('[name=firstName]'), 'rtl')
    await visit('/blog')
    const titles = await page.locator('.posts div').evaluateAll((all) => all.map((div) => div.matches(':dir(rtl)')))
    assert.deepEqual(titles, [false, false, true, false, false])
  })

  it('labels unpublished content, on its page, in its title and in the list', async () => {
    await visit('/dev/drafts')
    assert.deepEqual(await page.locator('.posts .waiting').allTextContents(), ['Scheduled for 1 January 2999', 'Draft'])
    for (const [path, label, title] of [
      ['/dev/drafts/blog/rough', 'Draft', 'Rough'],
      ['/dev/drafts/blog/later', 'Scheduled for 1 January 2999', 'Later'],
    ] as const) {
      await visit(path)
      assert.equal(await page.locator('main > .waiting span').textContent(), label)
      assert.equal(await page.locator('main > .waiting a').getAttribute('href'), '/dev/drafts')
      assert.ok((await page.title()).startsWith(`${label}: ${title} · `))
      const [shown, heading] = [await box('.waiting span'), await box('h1')]
      assert.ok(shown.height > 10 && shown.bottom <= heading.top)
    }
    await visit('/blog/middle')
    assert.equal(await page.locator('.waiting').count(), 0)
  })

  it('is accessible in light and in dark', async () => {
    const axePage = await openPage(browser, { bypassCSP: true })
    await loadAxe(axePage.page)
    const findings: string[] = []
    for (const path of ['/blog/wide', '/blog/rtl', '/dev/drafts', '/dev/drafts/blog/later']) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await axePage.page.emulateMedia({ colorScheme })
        await axePage.page.goto(site.url + path)
        findings.push(...(await axeFindings(axePage.page)).map((finding) => `${path} in ${colorScheme}: ${finding}`))
      }
    }
    assert.deepEqual(findings, [])
  })
})
