import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { get } from '../support/api.ts'
import { DESKTOP, INSTALL_LIMIT_MS, launchChromium, PHONE } from '../support/browser.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { photo } from '../support/pictures.ts'
import { eventually, markdown, startSite, type TestSite } from '../support/site.ts'

const WIDE = await photo(1600, 400).jpeg({ quality: 95 }).toBuffer()
const TALL = await photo(700, 1000).png().toBuffer()
const OBSERVE = `
  globalThis.shift = 0
  new PerformanceObserver((list) => { for (const { value } of list.getEntries()) shift += value })
    .observe({ type: 'layout-shift', buffered: true })`

describe('a page with pictures', () => {
  let site: TestSite
  let browser: Browser
  const suite = suiteCleanUp()
  async function start(): Promise<void> {
    site = await startSite(
      {
        'posts/photos.md': markdown(
          { title: 'Photos', date: '2024-01-01', image: 'wide.jpg', imageAlt: 'A wide view' },
          `Words.\n\n![A tall one](tall.png)\n\n${'More words. '.repeat(300)}\n\n![The wide one again](wide.jpg)`,
        ),
        'posts/wide.jpg': WIDE,
        'posts/tall.png': TALL,
      },
      { BASE_URL: 'http://localhost' },
    )
    cleanUp(suite, () => site.close())
    browser = await launchChromium(suite)
    await eventually(async () => {
      const { body } = await get(site, '/blog/photos')
      assert.equal(body.match(/<picture>/g)?.length, 3)
    })
  }
  before(start, { timeout: INSTALL_LIMIT_MS })

  for (const [name, viewport, scale, expected] of [
    ['phone', PHONE, 2, 800],
    ['desktop', DESKTOP, 1, 800],
    ['desktop with fine pixels', DESKTOP, 2, 1344],
  ] as const) {
    it(`loads the right sizes on a ${name}, and moves nothing when they arrive late`, async () => {
      const context = await browser.newContext({ viewport, deviceScaleFactor: scale })
      const page = await context.newPage()
      const requested: string[] = []
      const arrival = Promise.withResolvers<void>()
      await page.addInitScript(OBSERVE)
      await page.route('**/assets/pictures/**', async (route) => {
        requested.push(new URL(route.request().url()).pathname)
        await arrival.promise
        await route.continue()
      })
      await page.goto(`${site.url}/blog/photos`, { waitUntil: 'domcontentloaded' })
      // Without scripts, a document is ready before its style sheet.
      await eventually(async () => assert.ok(await page.evaluate('document.styleSheets.length > 0')))
      await page.evaluate('document.fonts.ready')
      const heights = () => page.evaluate<number[]>('Array.from(document.images, (image) => image.clientHeight)')
      const before = await heights()
      await page.evaluate('shift = 0')
      arrival.resolve()
      await page.evaluate('document.images[0].decode()')
      assert.match(requested[0] ?? '', new RegExp(`-${expected}\\.avif$`))
      // The picture at the end of the text is lazy: it is the same file as the first one, and is loaded when it is near.
      await page.evaluate('scrollTo(0, document.body.scrollHeight)')
      await page.evaluate(
        'Promise.all(Array.from(document.images, (image) => { image.loading = "eager"; return image.decode() }))',
      )
      assert.deepEqual(await heights(), before)
      assert.equal(await page.evaluate<number>('shift'), 0)
      const isComplete = 'Array.from(document.images, (image) => image.naturalWidth > 0)'
      assert.deepEqual(await page.evaluate(isComplete), [true, true, true])
      await context.close()
    })
  }
})
