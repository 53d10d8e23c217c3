import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { INSTALL_LIMIT_MS, launchChromium, openPage, style, type WatchedPage } from '../support/browser.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { markdown, startSite, type TestSite } from '../support/site.ts'

const POSTS = 60
const name = (number: number) => `post-${String(number).padStart(2, '0')}`
const PARAGRAPHS = 'Words of a paragraph.\n\n'.repeat(60)
const LONG = ['First', 'Second', 'Third'].map((title) => `## ${title}\n\n${PARAGRAPHS}`).join('')

const FILES = {
  'site.yaml': 'title: Site\nredirects:\n  /former: /blog/long\n',
  'site.css': 'main h1 {\n  color: rgb(1, 2, 3);\n}\n',
  'posts/long.md': markdown({ title: 'Long', date: '2024-06-01', tags: ['rare'], aliases: ['/old/long.html'] }, LONG),
  'posts/kin.md': markdown({ title: 'Kin', date: '2020-01-01', tags: ['rare'] }, 'An extraordinary armadillo.'),
  ...Object.fromEntries(
    Array.from({ length: POSTS }, (_, number) => {
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
    assert.equal(first.length + second.length, POSTS + 2)
    assert.equal(new Set([...first, ...second]).size, POSTS + 2)
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
})
