import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { fetchPlain, get } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { markdown, SITE_ADDRESS, startSite, type TestSite } from '../support/site.ts'

const RFC_822 =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d (GMT|[+-]\d{4})$/
const W3C_DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/
const LINKS = '[root](/about) [rel](./first) [plain](first) [up](../about) [part](#part) [mail](mailto:a@b.example)'
const ABSOLUTE_LINKS =
  `[root](~/about) [rel](~/blog/first) [plain](~/blog/first) [up](~/about) [part](~/blog/second#part) [mail](mailto:a@b.example) ![drawing](~/favicon.svg)`.replaceAll(
    '~',
    SITE_ADDRESS,
  )
const FILES = {
  'site.yaml': 'title: Ada & Co\ndescription: "Notes\\n on numbers"\nauthor: Ada\nlanguage: en\n',
  'pages/index.md': markdown({ title: 'Home' }),
  'pages/about.md': markdown({ title: 'About', description: 'Who I am', updated: '2024-04-01' }),
  'pages/bare.md': markdown({ title: 'Bare [or not]' }),
  'posts/first.md': markdown({ title: 'First', description: 'The first', date: '2024-01-01', tags: ['a', 'b'] }),
  'posts/second.md': markdown(
    { title: 'Second & last', date: '2024-02-01', updated: '2024-03-01', tags: ['b'] },
    `## Part\n\n${LINKS} ![drawing](/favicon.svg)`,
  ),
  'posts/hidden.md': markdown({ title: 'Hidden', date: '2024-02-01', draft: true }),
}

describe('the public documents', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    Object.assign(site, await startSite(FILES))
    cleanUp(suite, () => site.close())
  })

  async function document(path: string, type: string): Promise<string> {
    const response = await fetchPlain(site, path)
    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-type') ?? '', new RegExp(`^${type.replace(/[+.]/g, '\\$&')}(;|$)`))
    return String(response.body)
  }

  async function xml(path: string, type: string) {
    const text = await document(path, type)
    assert.equal(XMLValidator.validate(text), true)
    assert.match(text, /^<\?xml version="1\.0" encoding="utf-8"\?>/i)
    const lists = ['item', 'url', 'category']
    return new XMLParser({ ignoreAttributes: false, isArray: (name) => lists.includes(name) }).parse(text)
  }

  it('include a feed by the rules of RSS 2.0', async () => {
    const { rss } = await xml('/feed.xml', 'application/rss+xml')
    assert.equal(rss['@_version'], '2.0')
    assert.equal(rss['@_xmlns:content'], 'http://purl.org/rss/1.0/modules/content/')
    assert.equal(rss['@_xmlns:atom'], 'http://www.w3.org/2005/Atom')
    const { channel } = rss
    assert.equal(channel.title, 'Ada & Co')
    assert.equal(channel.link, `${SITE_ADDRESS}/`)
    assert.match(channel.description, /^Notes\s+on numbers$/)
    assert.equal(channel.language, 'en')
    assert.match(channel.lastBuildDate, RFC_822)
    assert.deepEqual(channel['atom:link'], {
      '@_href': `${SITE_ADDRESS}/feed.xml`,
      '@_rel': 'self',
      '@_type': 'application/rss+xml',
    })
    const [second, first, ...more] = channel.item
    assert.deepEqual(more, [])
    assert.deepEqual([second.title, first.title], ['Second & last', 'First'])
    assert.deepEqual([second.link, first.link], [`${SITE_ADDRESS}/blog/second`, `${SITE_ADDRESS}/blog/first`])
    assert.equal(first.pubDate, 'Mon, 01 Jan 2024 00:00:00 GMT')
    assert.equal(first.description, 'The first')
    assert.deepEqual(first.category, ['a', 'b'])
    for (const { pubDate, author } of channel.item) {
      assert.match(pubDate, RFC_822)
      // In RSS an author must be an e-mail address, so there is none.
      assert.equal(author, undefined)
    }
    const guids = channel.item.map(({ guid }: { guid: { '#text': string } }) => guid['#text'])
    assert.equal(new Set(guids).size, 2)
  })

  it('have only absolute links in the feeds, where a relative link has no base', async () => {
    const { rss } = await xml('/feed.xml', 'application/rss+xml')
    const { items } = JSON.parse(await document('/feed.json', 'application/feed+json'))
    for (const html of [rss.channel.item[0]['content:encoded'], items[0].content_html]) {
      const links = [...html.matchAll(/<(?:a|img)\s[^>]*?(?:href|src)="([^"]*)"/g)].map(([, link]) => link)
      assert.deepEqual(
        new Set(links.filter((link) => !link.startsWith('mailto:'))),
        new Set([
          `${SITE_ADDRESS}/blog/second#part`,
          `${SITE_ADDRESS}/about`,
          `${SITE_ADDRESS}/blog/first`,
          `${SITE_ADDRESS}/favicon.svg`,
        ]),
      )
      // The anchor link of a heading is useful on its page only.
      assert.match(html, /<h2 id="part" dir="auto">Part<\/h2>/)
    }
  })

  it('include a feed by the rules of JSON Feed 1.1', async () => {
    const feed = JSON.parse(await document('/feed.json', 'application/feed+json'))
    assert.equal(feed.version, 'https://jsonfeed.org/version/1.1')
    assert.equal(feed.title, 'Ada & Co')
    assert.equal(feed.home_page_url, `${SITE_ADDRESS}/`)
    assert.equal(feed.feed_url, `${SITE_ADDRESS}/feed.json`)
    assert.equal(feed.language, 'en')
    assert.deepEqual(feed.authors, [{ name: 'Ada' }])
    assert.equal(feed.author, undefined)
    assert.deepEqual(
      feed.items.map(({ id }: { id: string }) => id),
      [`${SITE_ADDRESS}/blog/second`, `${SITE_ADDRESS}/blog/first`],
    )
    const [second, first] = feed.items
    assert.equal(second.url, `${SITE_ADDRESS}/blog/second`)
    assert.equal(second.date_published, '2024-02-01T00:00:00.000Z')
    assert.equal(second.date_modified, '2024-03-01T00:00:00.000Z')
    assert.deepEqual([first.title, first.summary, first.tags], ['First', 'The first', ['a', 'b']])
    assert.match(first.content_html, /^<p dir="auto">Some words\.<\/p>/)
  })

  it('include a sitemap of the public pages, each with the date of its last change', async () => {
    const { urlset } = await xml('/sitemap.xml', 'application/xml')
    assert.equal(urlset['@_xmlns'], 'http://www.sitemaps.org/schemas/sitemap/0.9')
    const dates = new Map<string, string>(
      urlset.url.map(({ loc, lastmod, ...others }: Record<string, string>) => {
        assert.deepEqual(others, {})
        // Pages that come with the server have no date of their own.
        if (loc?.startsWith(`${SITE_ADDRESS}/docs`)) assert.equal(lastmod, undefined)
        else assert.match(lastmod ?? '', W3C_DATE)
        return [loc?.replace(SITE_ADDRESS, ''), lastmod?.slice(0, 10)]
      }),
    )
    assert.equal(dates.size, urlset.url.length)
    const paths = ['/', '/blog', '/blog/second', '/blog/first', '/tags/a', '/tags/b', '/about', '/bare', '/docs']
    const lists = ['/tags', '/archive', '/archive/2024']
    assert.deepEqual([...dates.keys()].sort(), [...paths, ...lists, '/docs/account-api', '/docs/content-api'].sort())
    assert.equal(dates.get('/blog/first'), '2024-01-01')
    assert.equal(dates.get('/blog/second'), '2024-03-01')
    assert.equal(dates.get('/about'), '2024-04-01')
    assert.equal(dates.get('/tags/a'), '2024-01-01')
    assert.equal(dates.get('/tags/b'), '2024-03-01')
    // The blog shows posts and nothing else.
    assert.equal(dates.get('/blog'), '2024-03-01')
    for (const path of dates.keys()) assert.equal((await get(site, path)).status, 200, path)
  })

  it('include robots.txt with the sitemap, which disallows the account paths', async () => {
    const lines = (await document('/robots.txt', 'text/plain')).trim().split('\n')
    assert.ok(lines.includes('User-agent: *'))
    assert.ok(lines.includes(`Sitemap: ${SITE_ADDRESS}/sitemap.xml`))
    assert.ok(!lines.includes('Disallow: /'))
  })

  it('include llms.txt in the format of llmstxt.org', async () => {
    const text = await document('/llms.txt', 'text/plain')
    const [head = '', ...sections] = text.split(/^## /m)
    assert.match(head, /^# Ada & Co\n\n> Notes on numbers\n\n[^#]+$/)
    assert.deepEqual(
      sections.map((section) => section.split('\n')[0]),
      ['Posts', 'Pages', 'API', 'Optional'],
    )
    const links = sections.flatMap((section) => section.trim().split('\n').slice(2))
    for (const line of links) assert.match(line, /^- \[[^[\]]+\]\(https:\/\/site\.example\/[^)\s]*\)(: \S.*)?$/)
    for (const link of [
      '- [First](https://site.example/blog/first.md): The first',
      '- [Second & last](https://site.example/blog/second.md)',
      '- [About](https://site.example/about.md): Who I am',
    ]) {
      assert.ok(links.includes(link), link)
    }
    const addresses = links.map((line) => /\(https:\/\/site\.example(.+?)\)/.exec(line)?.[1] ?? '')
    for (const path of addresses) assert.match(path, /\.md$|^\/llms-full\.txt$/)
    for (const path of ['/openapi.json', '/api/openapi.json', '/feed.xml', '/sitemap.xml']) {
      assert.match(head, new RegExp(`https://site\\.example${path.replace('.', '\\.')}\\b`))
    }
    for (const path of addresses) assert.equal((await get(site, path)).status, 200, path)
    assert.doesNotMatch(text, /hidden/i)
  })

  it('include llms-full.txt with the whole text', async () => {
    const text = await document('/llms-full.txt', 'text/plain')
    for (const words of [
      '# First',
      '# Second & last',
      '# About',
      'Who I am',
      ABSOLUTE_LINKS,
      '### `GET /api/github-contributions`',
    ]) {
      assert.ok(text.includes(words), words)
    }
  })
})
