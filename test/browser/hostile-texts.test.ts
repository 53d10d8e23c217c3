import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import type { Browser } from 'playwright-core'
import { escapeHtml } from '../../src/lib/escape-html.ts'
import { get } from '../support/api.ts'
import { INSTALL_LIMIT_MS, launchChromium, openPage } from '../support/browser.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { eventually, type Files, markdown, SITE_ADDRESS, startSite, type TestSite } from '../support/site.ts'
import { findingsIn, useEverything } from './inspect-html.js'
import { VECTORS } from './xss-vectors.ts'

const TEXTS = Object.values(VECTORS).flat()
const nameOf = (index: number) => `h${index}`
// A feed has 100 posts at most.
const TAGS = [...new Set(TEXTS.map((_, index) => tagOf(index)))]
const LISTS = [
  ...Array.from({ length: Math.ceil(TEXTS.length / 50) }, (_, page) =>
    page === 0 ? '/blog' : `/blog/page/${page + 1}`,
  ),
  ...TAGS.map((tag) => `/tags/${tag}`),
]
const SEARCHES = ['script', 'onerror', 'alert', 'svg'].map((word) => `/search?q=${word}`)

function tagOf(index: number): string {
  return `hostile-${Math.floor(index / 100)}`
}

/** The content folder. Each text is the body of a post, its title, its description and the descriptions of pictures. */
function filesWith(change: (text: string) => string): Files {
  const hostile = TEXTS.map(change).map((text, index) => {
    const title = `${nameOf(index)} ${text}`
    const fields = { title, description: title, date: '2001-01-01', tags: [tagOf(index)] }
    const picture = { image: '../images/drawing.svg', imageAlt: text }
    // The picture is first, so that no text can begin a block that contains it.
    const body = `![${text.replace(/\s+/g, ' ')}](../images/drawing.svg)\n\n${text}`
    return [`posts/${nameOf(index)}.md`, markdown({ ...fields, ...picture }, body)]
  })
  return {
    ...Object.fromEntries(hostile),
    'site.yaml': 'title: Site\nauthor: Ada\n',
    'pages/about.md': markdown({ title: 'About', date: '2020-01-01' }, 'About an **armadillo**.'),
    'posts/first.md': markdown({ title: 'First', date: '2020-01-01', tags: ['usual'] }, '[Second](second.md)'),
    'posts/second.md': markdown({ title: 'Second', date: '2020-01-02', tags: ['usual'] }, '```\nlet a\n```'),
    ...Object.fromEntries(
      [3, 4, 5, 6].map((day) => [`posts/${day}.md`, markdown({ title: `Day ${day}`, date: `2020-01-0${day}` })]),
    ),
    'images/drawing.svg':
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" onload="alert(1)"><script>alert(1)</script><image href="https://evil.example/x.png" width="9" height="9"/></svg>',
  }
}

const harmless = (text: string) => 'x'.repeat(text.length)
/** All harmless posts have the same elements outside of `main`. */
const TWIN = '/blog/h0'
const isHostile = (path: string) => /^\/blog\/h\d+$/.test(path)

const STYLES = 'the style sheet'
const FOUND = ['/search?q=armadillo', '/search.json?q=armadillo', '/nothing']
const FILES = ['/feed.xml', '/sitemap.xml', '/llms.txt', '/robots.txt', '/openapi.json', '/tags/usual/feed.xml']

/** The pages and files of a site, by their paths. */
async function read(site: TestSite, isRead: (path: string) => boolean): Promise<Map<string, string>> {
  const textOf = async (path: string): Promise<string> => {
    const { body } = await get(site, path, { headers: { accept: 'text/html, */*' } })
    return typeof body === 'string' ? body : JSON.stringify(body)
  }
  const locations = (await textOf('/sitemap.xml')).matchAll(/<loc>https:\/\/site\.example([^<]+)<\/loc>/g)
  const pages = Array.from(locations, ([, path]) => path ?? '').filter(isRead)
  const texts = new Map<string, string>()
  for (const path of new Set([...pages, ...LISTS, ...FILES, ...FOUND, ...SEARCHES])) texts.set(path, await textOf(path))
  const [styles = ''] = /\/assets\/public\.\w+\.css/.exec(texts.get('/') ?? '') ?? []
  return texts.set(STYLES, await textOf(styles))
}

/** Elements and attributes that the renderer and the pages write inside of `main`. */
const RULES = {
  elements: {
    xhtml: `a article b blockquote br code dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 header hr img
      ins li mark nav ol p pre s section span strong summary sup table tbody td th thead time tr ul`.split(/\s+/),
    svg: ['svg', 'path'],
    MathML: `math mfrac mi mn mo mover mpadded mrow mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder
      munderover`.split(/\s+/),
  },
  attributes: `alt aria-current aria-hidden aria-label aria-labelledby class d data-language datetime decoding dir
    display fetchpriority fill fence form height id largeop loading lspace mathbackground mathcolor mathsize mathvariant
    movablelimits rel role rspace scriptlevel separator start stretchy stroke stroke-linecap stroke-linejoin stroke-width
    tabindex title viewBox width`.split(/\s+/),
  addresses: { href: 'a', src: 'img' },
  schemes: ['http:', 'https:', 'mailto:'],
}

const EVENTS = `animationstart beforecopy beforetoggle begin blur change contentvisibilityautostatechange end error
  finish focus focusin hashchange input keydown load mouseenter mouseover pageshow pointerenter pointerover
  pointerrawupdate propertychange scroll scrollend slotchange start submit toggle transitionend wheel`.split(/\s+/)

describe('posts of hostile texts', () => {
  const suite = suiteCleanUp()
  let site: TestSite
  let browser: Browser
  let pages: Map<string, string>
  let twins: Map<string, string>
  async function start(): Promise<void> {
    const twin = await startSite(filesWith(harmless))
    cleanUp(suite, () => twin.close())
    twins = await read(twin, (path) => !isHostile(path) || path === TWIN)
    await twin.close()
    site = await startSite(filesWith((text) => text))
    cleanUp(suite, () => site.close())
    // The colours of code are part of what is inspected.
    const code = `/blog/${nameOf(TEXTS.findIndex((text) => text.startsWith('~~~html')))}`
    await eventually(async () => assert.match((await get(site, code)).body, /<span class="c\w+">/))
    pages = await read(site, () => true)
    browser = await launchChromium(suite)
  }
  before(start, { timeout: INSTALL_LIMIT_MS })

  it('are many, and all published', () => {
    assert.ok(new Set(TEXTS).size === TEXTS.length && TEXTS.length >= 150, `${TEXTS.length} texts`)
    const published = [...pages.keys()].filter(isHostile)
    assert.deepEqual(new Set(published), new Set(TEXTS.map((_, index) => `/blog/${nameOf(index)}`)))
    for (const [index, text] of TEXTS.entries()) {
      if (!/^[ -~]+$/.test(text) || text.includes('<!--')) continue
      const heading = `<h1>${nameOf(index)} ${escapeHtml(text)}</h1>`
      assert.ok(pages.get(`/blog/${nameOf(index)}`)?.includes(heading), text)
    }
  })

  it('have only the elements, attributes and addresses of the site, on their pages, in lists and in feeds', async () => {
    const { page } = await openPage(browser)
    const feeds = await Promise.all(TAGS.map((tag) => get(site, `/tags/${tag}/feed.json`)))
    const items: { url: string; content_html: string }[] = feeds.flatMap(({ body }) => body.items)
    assert.equal(items.length, TEXTS.length)
    const inspected = [
      ...[...pages.keys()].filter(isHostile).map((path) => ({ path, isList: false })),
      ...LISTS.map((path) => ({ path, isList: true })),
    ].map(({ path, isList }) => ({
      name: path,
      html: pages.get(path) ?? '',
      twin: twins.get(isList ? path : TWIN),
      isList,
    }))
    const others = [
      // The form of the page itself.
      ...SEARCHES.map((name) => ({
        name,
        html: pages.get(name)?.replace(/<form class="search-form".*?<\/form>/s, '') ?? '',
      })),
      ...items.map(({ url, content_html }) => ({ name: `feed: ${url}`, html: `<main>${content_html}</main>` })),
    ]
    assert.deepEqual(await page.evaluate(findingsIn, { pages: [...inspected, ...others], ...RULES }), [])
  })

  it('run no script and send nothing to other sites, even without a policy that forbids it', async () => {
    const { page, urls } = await openPage(browser, { bypassCSP: true })
    const ran: string[] = []
    await page.exposeFunction('noteRun', (what: string) => ran.push(what))
    await page.addInitScript(`for (const name of ['alert', 'confirm', 'prompt', 'print'])
      globalThis[name] = (what) => noteRun(location.pathname + ': ' + what)`)
    await page.route(
      ({ origin }) => origin !== site.url,
      (route) => route.abort(),
    )
    // All posts as one document. The script at its end shows that scripts do run, and that no text has hidden the rest.
    const posts = [...pages].filter(([path]) => isHostile(path)).flatMap(([, html]) => partsWithTexts(html))
    const body = `<!doctype html>${posts.join('\n')}<script>alert('own script')</script>`
    await page.route('**/blog/all', (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body }))
    for (const path of ['/blog/all', ...LISTS, ...SEARCHES]) {
      await page.goto(site.url + path)
      await page.evaluate(useEverything, EVENTS)
      assert.equal(page.url(), site.url + path)
    }
    assert.deepEqual(ran, ['/blog/all: own script'])
    assert.deepEqual(
      urls.filter((url) => !url.startsWith(`${site.url}/`)),
      [],
    )
    assert.equal(page.context().pages().length, 1)
  })

  it('change no byte of other pages, apart from their own entries in lists', () => {
    const others = [...twins.keys()].filter((path) => !isHostile(path) && !SEARCHES.includes(path))
    for (const path of ['/', '/about', '/blog/first', '/archive', '/tags', '/docs/content-api', STYLES])
      assert.ok(others.includes(path), path)
    for (const path of others) {
      const [expected, shown] = [twins, pages].map((read) => withoutEntries(read.get(path) ?? ''))
      assert.equal(shown, expected, path)
      assert.ok(shown && !/alert\(1\)|evil\.example/.test(shown), path)
    }
  })

  it('are items of well-formed feeds, with the same texts in each format', async () => {
    const parser = new XMLParser({ processEntities: true, trimValues: false })
    for (const tag of TAGS) {
      const { body: rss } = await get(site, `/tags/${tag}/feed.xml`)
      assertWellFormed(rss, tag)
      const { item } = parser.parse(rss).rss.channel
      const { items } = (await get(site, `/tags/${tag}/feed.json`)).body
      assert.deepEqual(
        item.map((each: Record<string, string>) => [each.link, each.title, each['content:encoded']]),
        items.map((each: Record<string, string>) => [each.url, each.title, each.content_html].map(withLineFeeds)),
      )
    }
    for (const path of ['/feed.xml', '/sitemap.xml']) assertWellFormed(pages.get(path) ?? '', path)
  })

  it('are one line each in llms.txt', () => {
    const lines =
      pages
        .get('/llms.txt')
        ?.split('\n')
        .filter((line) => /^- \[h\d+ /.test(line)) ?? []
    assert.ok(lines.length > 50)
    for (const line of lines) assert.match(line, /^- \[[^[\]]*\]\(https:\/\/site\.example\/blog\/h\d+\.md\): /)
  })
})

const FIXED_PARTS =
  /<link [^>]*>|<meta name="(?:viewport|color-scheme|theme-color)"[^>]*>|<script type="module"[^>]*><\/script>/g

/** The parts of a page that have texts of its author: the rest of the head, and `main`. */
function partsWithTexts(html: string): string[] {
  const [, head = ''] = /<head>(.*?)<body>/s.exec(html) ?? []
  const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(html) ?? []
  return [head.replace(FIXED_PARTS, ''), main]
}

/** The validator does not look at the characters (XML 1.0, section 2.2). */
function assertWellFormed(xml: string, what: string): void {
  assert.equal(XMLValidator.validate(xml), true, what)
  assert.doesNotMatch(xml, /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u, what)
}

/** XML 1.0, section 2.11: a parser makes line feeds of all ends of lines. */
const withLineFeeds = (text = '') => text.replace(/\r\n?/g, '\n')

/** A page or file without its entries of the hostile posts, and without the colours of their code. */
function withoutEntries(text: string): string {
  return text
    .replace(/<li>(?:(?!<li>).)*?href="\/blog\/h\d+".*?<\/li>/gs, '')
    .replace(/<a rel="prev" href="\/blog\/h\d+">.*?<\/a>/gs, '')
    .replace(/<item>(?:(?!<item>).)*?\/blog\/h\d+<.*?<\/item>/gs, '')
    .replace(new RegExp(`^- \\[[^\\n]*\\]\\(${SITE_ADDRESS}/blog/h\\d+\\.md\\)[^\\n]*\\n`, 'gm'), '')
    .replace(/\.c[\da-f]{5}\{color:light-dark\(#[\dA-Fa-f]{6},#[\dA-Fa-f]{6}\)\}/g, '')
    .replace(/\/assets\/public\.\w+\.css/, '')
}
