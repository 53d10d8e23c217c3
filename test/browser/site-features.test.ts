import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { INSTALL_LIMIT_MS, launchChromium, openPage, style, type WatchedPage } from '../support/browser.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { photo } from '../support/pictures.ts'
import { markdown, startSite, type TestSite } from '../support/site.ts'

const NUMBERED_POSTS = 60
const name = (number: number) => `post-${String(number).padStart(2, '0')}`
const PARAGRAPHS = 'Words of a paragraph.\n\n'.repeat(60)
const LONG = ['First', 'Second', 'Third'].map((title) => `## ${title}\n\n${PARAGRAPHS}`).join('')

const SHORT_POSTS = {
  'posts/kin.md': markdown({ title: 'Kin', date: '2020-01-01', tags: ['rare'] }, 'An extraordinary armadillo.'),
  'posts/part-one.md': markdown({ title: 'Setting out', date: '2020-02-01', series: 'A journey' }),
  'posts/part-two.md': markdown({ title: 'Coming home', date: '2020-02-02', series: 'A journey' }),
  'posts/covered.md': markdown({ title: 'Covered', date: '2020-03-01', image: 'wide.jpg', imageAlt: 'A wide view' }),
}
const FILES = {
  'site.yaml': 'title: Site\nredirects:\n  /former: /blog/long\n',
  'site.css': 'main h1 {\n  color: rgb(1, 2, 3);\n}\n',
  'posts/long.md': markdown({ title: 'Long', date: '2024-06-01', tags: ['rare'], aliases: ['/old/long.html'] }, LONG),
  'posts/wide.jpg': await photo(900, 300).jpeg().toBuffer(),
  ...SHORT_POSTS,
  ...Object.fromEntries(
    Array.from({ length: NUMBERED_POSTS }, (_, number) => {
      const date = new Date(Date.UTC(2023, 0, 1 + number)).toISOString()
      return [`posts/${name(number)}.md`, markdown({ title: `Post ${number}`, date })]
    }),
  ),
}

describe('in a browser, a visitor of the site', () => {
  const suite = suiteCleanUp()
  let site: TestSite
  let visitor: WatchedPage
  before(
    async () => {
      site = await startSite(FILES)
      cleanUp(suite, () => site.close())
      visitor = await openPage(await launchChromium(suite))
    },
    { timeout: INSTALL_LIMIT_MS },
  )

  async function open(path: string, finalPath = path) {
    const response = await visitor.page.goto(site.url + path)
    assert.equal(response?.status(), 200, path)
    assert.equal(visitor.page.url(), site.url + finalPath)
    return visitor.page
  }

  it('comes to a heading by the table of contents', async () => {
    const page = await open('/blog/long')
    const heading = page.locator('h2#third')
    const top = async () => (await heading.boundingBox())?.y ?? Number.NaN
    const windowHeight = page.viewportSize()?.height ?? Number.NaN
    assert.ok((await top()) > windowHeight)
    await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Third' }).click()
    await page.waitForURL('**/blog/long#third')
    await page.waitForFunction('document.querySelector("#third").getBoundingClientRect().top < innerHeight / 2')
    assert.ok((await top()) >= 0)
    visitor.assertNoErrors()
  })

  it('sees the style sheet of the author', async () => {
    const page = await open('/blog/long')
    assert.equal(await style(page.locator('main h1'), 'color'), 'rgb(1, 2, 3)')
    visitor.assertNoErrors()
  })

  it('finds a post by the search in the header', async () => {
    const page = await open('/blog')
    await page.getByRole('searchbox', { name: 'Search this site' }).fill('armadillo')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/search?q=armadillo')
    await page.locator('.results').getByRole('link', { name: 'Kin' }).click()
    await page.waitForURL('**/blog/kin')
    assert.equal(await page.locator('main h1').innerText(), 'Kin')
    visitor.assertNoErrors()
  })

  it('comes from a redirect and from a former address to the post', async () => {
    for (const path of ['/former', '/old/long.html']) {
      const page = await open(path, '/blog/long')
      assert.equal(await page.locator('main h1').innerText(), 'Long')
    }
    visitor.assertNoErrors()
  })

  it('goes to the next page of the blog and back', async () => {
    const page = await open('/blog')
    const titles = () => page.locator('.posts a').allInnerTexts()
    const first = await titles()
    await page.getByRole('link', { name: 'Next page' }).click()
    await page.waitForURL('**/blog/page/2')
    const second = await titles()
    const posts = NUMBERED_POSTS + Object.keys(SHORT_POSTS).length + 1
    assert.equal(first.length + second.length, posts)
    assert.equal(new Set([...first, ...second]).size, posts)
    await page.locator('a[rel=prev]').click()
    await page.waitForURL('**/blog')
    assert.deepEqual(await titles(), first)
    visitor.assertNoErrors()
  })

  it('comes to a related post', async () => {
    const page = await open('/blog/long')
    await page.getByRole('region', { name: 'Related posts' }).getByRole('link', { name: 'Kin' }).click()
    await page.waitForURL('**/blog/kin')
    visitor.assertNoErrors()
  })

  it('learns how long a post takes to read', async () => {
    const page = await open('/blog/long')
    // 727 words.
    assert.equal(await page.locator('.title-block .meta').innerText(), '1 June 2024 · 3 min read')
    assert.match(await (await open('/blog/kin')).locator('.title-block .meta').innerText(), / · 1 min read$/)
  })

  it('sees the picture of a post at its top, in its own shape', async () => {
    const page = await open('/blog/covered')
    const cover = page.getByRole('img', { name: 'A wide view' })
    assert.deepEqual([await cover.getAttribute('width'), await cover.getAttribute('height')], ['900', '300'])
    assert.ok(await cover.evaluate(async (image) => image.decode().then(() => image.naturalWidth > 0)))
    const [box, heading, text] = await Promise.all(
      [cover, page.locator('main h1'), page.locator('article > p')].map((part) => part.boundingBox()),
    )
    assert.ok(box && heading && text)
    assert.ok(Math.abs(box.width / box.height - 3) < 0.05, `${box.width} × ${box.height}`)
    assert.ok(heading.y + heading.height <= box.y && box.y + box.height <= text.y)
    visitor.assertNoErrors()
  })

  it('goes from one part of a series to the next, and to the list of all parts', async () => {
    const page = await open('/blog/part-one')
    const series = page.getByRole('navigation', { name: 'Series' })
    assert.match(await series.innerText(), /^Part 1 of 2 of A journey/)
    await series.getByText('All parts').click()
    assert.equal(await series.locator('[aria-current=page]').innerText(), 'Setting out')
    await series.getByRole('link', { name: 'Coming home' }).click()
    await page.waitForURL('**/blog/part-two')
    await series.getByRole('link', { name: 'A journey' }).click()
    await page.waitForURL('**/series/a-journey')
    assert.deepEqual(await page.locator('.posts a').allInnerTexts(), ['Setting out', 'Coming home'])
    visitor.assertNoErrors()
  })

  it('finds the feed of a tag on its page, and opens it', async () => {
    const page = await open('/blog/kin')
    await page.getByRole('list', { name: 'Tags' }).getByRole('link', { name: 'rare' }).click()
    await page.waitForURL('**/tags/rare')
    const feed = page.locator('link[rel=alternate][type="application/rss+xml"][title^="Tagged “rare”"]')
    const { pathname } = new URL((await feed.getAttribute('href')) ?? '')
    // Chromium shows a feed as its text.
    const shown = await (await open(pathname)).locator('pre').evaluate(({ textContent, ownerDocument }) => {
      const { DOMParser } = ownerDocument.defaultView
      const parsed = new DOMParser().parseFromString(textContent, 'application/xml')
      return Array.from(parsed.querySelectorAll('parsererror, item > title'), ({ textContent }) => textContent)
    })
    assert.deepEqual(shown, ['Long', 'Kin'])
    visitor.assertNoErrors()
  })
})
