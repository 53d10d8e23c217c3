import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { get } from '../support/api.ts'
import {
  assertNoOverlap,
  contrast,
  DESKTOP,
  INSTALL_LIMIT_MS,
  launchChromium,
  openPage,
  PHONE,
  style,
  styles,
  type WatchedPage,
} from '../support/browser.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { startGithub } from '../support/contribution-calendar.ts'
import { type Service, startService } from '../support/service.ts'
import { eventually } from '../support/site.ts'

const CONTENT_DIR = fileURLToPath(new URL('../../content', import.meta.url))
const POST = '/blog/accounts-without-renting-them'
const MISSING = '/nothing-is-here'
const PAGES = ['/', '/blog', POST, '/tags/api', '/about', '/docs', '/docs/account-api', MISSING]
const SCHEMES = ['light', 'dark'] as const
const MIN_CONTRAST = 4.5
const COLUMN = '736px'

let calendar: Awaited<ReturnType<typeof startGithub>>
let service: Service
let browser: Browser
let visitor: WatchedPage

const suite = suiteCleanUp()
before(start, { timeout: INSTALL_LIMIT_MS })

async function start(): Promise<void> {
  calendar = await startGithub()
  cleanUp(suite, () => calendar.close())
  service = await startService('sqlite', { CONTENT_DIR, ...calendar.settings })
  cleanUp(suite, () => service.close())
  // From then on the home page has its graph.
  assert.equal((await get(service, '/api/github-contributions')).status, 200)
  browser = await launchChromium(suite)
  visitor = await openPage(browser)
}

async function go({ page }: WatchedPage, path: string): Promise<Page> {
  const response = await page.goto(service.url + path)
  assert.equal(response?.status(), path === MISSING ? 404 : 200)
  return page
}

async function visit(path: string, { scheme = SCHEMES[0] as (typeof SCHEMES)[number], viewport = DESKTOP } = {}) {
  await visitor.page.emulateMedia({ colorScheme: scheme })
  await visitor.page.setViewportSize(viewport)
  return go(visitor, path)
}

const LIGHT_PHONE = { view: 'in light on a phone', scheme: 'light', viewport: PHONE } as const
const DARK_PHONE = { view: 'in dark on a phone', scheme: 'dark', viewport: PHONE } as const
const LIGHT_DESKTOP = { view: 'in light on a desktop', scheme: 'light', viewport: DESKTOP } as const
const DARK_DESKTOP = { view: 'in dark on a desktop', scheme: 'dark', viewport: DESKTOP } as const

for (const { view, ...options } of [LIGHT_PHONE, DARK_PHONE, LIGHT_DESKTOP, DARK_DESKTOP]) {
  describe(view, () => {
    for (const path of PAGES) {
      it(`the site shows ${path} without an error and no wider than the window`, async () => {
        const page = await visit(path, options)
        const [wide, window] = await page.evaluate<number[]>('[document.scrollingElement.scrollWidth, innerWidth]')
        assert.equal(window, options.viewport.width)
        assert.ok(wide !== undefined && wide <= window, `${wide} pixels wide`)
        visitor.assertNoErrors()
      })
    }
  })
}

describe('the look', () => {
  it('is that of the style sheet, in the colours of the scheme', async () => {
    const grounds = new Set()
    for (const scheme of SCHEMES) {
      const page = await visit('/about', { scheme })
      const body = page.locator('body')
      assert.equal(await style(page.locator('main'), 'maxWidth'), COLUMN)
      assert.equal(await style(page.locator('header.site .bar'), 'display'), 'flex')
      const ground = await style(body, 'backgroundColor')
      assert.ok(contrast(ground, await style(body, 'color')) > 10)
      grounds.add(ground)
    }
    assert.equal(grounds.size, 2)
  })

  it('colours code, differently in light and dark', async () => {
    // The highlighted code is shown soon after the start.
    await eventually(async () => {
      const [light, dark] = await Promise.all(SCHEMES.map(palette))
      assert.ok(light && dark && light.size >= 4 && dark.size >= 4)
      assert.ok(light.isDisjointFrom(dark), [...light, ...dark].join(' '))
    })
  })

  /** The computed colours of a page of its own, so that both schemes can be compared. */
  async function palette(colorScheme: (typeof SCHEMES)[number]): Promise<Set<string>> {
    const page = await go(await openPage(browser, { colorScheme }), POST)
    return new Set(await styles(page.locator('pre[data-language=ts] span'), 'color'))
  }

  it('has its dates in a column where there is room, and above the titles where there is not', async () => {
    const places = async (viewport: typeof PHONE) => {
      const page = await visit('/blog', { viewport })
      const boxes = (part: string) =>
        page.locator(`.posts ${part}`).evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON()))
      return { dates: await boxes('time'), titles: await boxes('a') }
    }
    const wide = await places(DESKTOP)
    assert.ok(wide.dates.length >= 3)
    assert.equal(new Set(wide.titles.map(({ left }) => left)).size, 1)
    assert.ok(wide.dates.every(({ right }, index) => right < wide.titles[index].left))
    const narrow = await places(PHONE)
    assert.ok(narrow.dates.every(({ bottom }, index) => bottom <= narrow.titles[index].top + 1))
  })

  for (const scheme of SCHEMES) {
    it(`labels the graph readably in ${scheme}`, async () => {
      const page = await visit('/', { scheme })
      await assertGraphIsReadable(page, await style(page.locator('body'), 'backgroundColor'))
    })

    it(`labels the graph readably in ${scheme} where it is a separate image`, async () => {
      // A separate image is on the browser's own white or near black.
      const ground = scheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(18, 18, 18)'
      await assertGraphIsReadable(await visit('/contributions.svg', { scheme }), ground)
      visitor.assertNoErrors()
    })
  }

  async function assertGraphIsReadable(page: Page, ground: string): Promise<void> {
    const labels = page.locator('svg.graph text')
    const names = await labels.allTextContents()
    assert.ok(names.length >= 3 + 10, names.join(' '))
    assert.deepEqual(names.slice(-3), ['Mon', 'Wed', 'Fri'])
    for (const fill of await styles(labels, 'fill')) assert.ok(contrast(fill, ground) >= MIN_CONTRAST, fill)
    await assertNoOverlap(page.locator('svg.graph'), labels)
    const days = await styles(page.locator('svg.graph rect'), 'fill')
    assert.equal(new Set(days).size, 5, 'each level has a colour of its own')
  }
})

describe('with a keyboard, the site', () => {
  const focused = (page: Page) => page.locator(':focus')

  it('focuses the skip link first, which is then visible, and then the navigation', async () => {
    const page = await visit('/about', { viewport: PHONE })
    const skip = page.getByRole('link', { name: 'Skip to content' })
    const atRest = await skip.boundingBox()
    assert.ok(atRest && atRest.x + atRest.width <= 0, 'it is hidden until it is needed')
    await page.keyboard.press('Tab')
    assert.equal(await focused(page).textContent(), 'Skip to content')
    const box = await skip.boundingBox()
    assert.ok(box && box.x >= 0 && box.y >= 0 && box.x + box.width <= PHONE.width)
    // The button opens the navigation without a script.
    for (const name of ['Portico', 'Menu', 'Blog', 'About', 'API', 'Search', 'Log in']) {
      await page.keyboard.press('Tab')
      assert.equal(
        await page
          .locator(':focus')
          .and(page.getByRole('link', { name }).or(page.getByRole('button', { name })))
          .count(),
        1,
      )
      assert.equal(await style(focused(page), 'outlineStyle'), 'solid')
      if (name === 'Menu') await page.keyboard.press('Enter')
    }
  })

  it('skips to the content', async () => {
    const page = await visit('/about')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/about#content')
    await page.keyboard.press('Tab')
    assert.equal(await page.locator('main :focus').count(), 1)
    assert.equal(await focused(page).textContent(), await page.locator('main a').first().textContent())
  })

  it('opens the contributions by month', async () => {
    const page = await visit('/')
    const table = page.locator('details table')
    assert.equal(await table.isVisible(), false)
    await page.locator('summary').focus()
    await page.keyboard.press('Enter')
    assert.equal(await table.isVisible(), true)
  })
})

it('the site has the same content without JavaScript', async () => {
  const unscripted = await openPage(browser, { javaScriptEnabled: false, viewport: DESKTOP })
  for (const path of PAGES) {
    const [unscriptedText, expected] = await Promise.all([go(unscripted, path).then(text), visit(path).then(text)])
    assert.ok(unscriptedText.length > 50)
    // A script adds the buttons that copy code.
    assert.equal(lines(unscriptedText), lines(expected.replaceAll('\nCopy', '')))
  }
  unscripted.assertNoErrors()
})

const text = (page: Page) => page.locator('body').innerText()
const lines = (shown: string) => shown.replace(/\n+/g, '\n')

it('the site allows only its own styles and scripts on a page', async () => {
  const otherPage = await openPage(browser)
  const page = await go(otherPage, '/')
  otherPage.assertNoErrors()
  await page.evaluate(`document.body.append(
    Object.assign(document.createElement('style'), { textContent: 'main { max-width: 1px }' }),
    Object.assign(document.createElement('script'), { textContent: 'document.title = "taken"' }))`)
  assert.equal(await style(page.locator('main'), 'maxWidth'), COLUMN)
  assert.equal(await page.title(), 'Portico')
  assert.throws(
    otherPage.assertNoErrors,
    /against the policy: style-src-elem[\s\S]*against the policy: script-src-elem/,
  )
})
