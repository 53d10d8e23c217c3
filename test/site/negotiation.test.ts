import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import fc from 'fast-check'
import { negotiate, type Variant } from '../../src/http/negotiate.ts'
import { fetchPlain, get, variesBy } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { assertProcessorTime } from '../support/measuring.ts'
import { markdown, SITE_ADDRESS, startSite, type TestSite } from '../support/site.ts'

const CHROME =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7'
const FIREFOX = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const SAFARI = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const OLD_EDGE = 'text/html, application/xhtml+xml, image/jxr, */*'

const CASES: [accept: string | undefined, form: 'html' | 'markdown'][] = [
  [undefined, 'html'],
  ['', 'html'],
  ['*/*', 'html'],
  ['text/*', 'html'],
  ['text/*;q=0.1, */*;q=0', 'html'],
  [CHROME, 'html'],
  [FIREFOX, 'html'],
  [SAFARI, 'html'],
  [OLD_EDGE, 'html'],
  ['text/html', 'html'],
  ['text/html;level=1', 'html'],
  // Accept headers of agents and their tools.
  ['text/markdown', 'markdown'],
  ['text/markdown;q=1.0, text/html;q=0.9', 'markdown'],
  ['text/markdown, text/html;q=0.9, */*;q=0.1', 'markdown'],
  ['text/markdown, text/plain;q=0.9, */*;q=0.8', 'markdown'],
  ['text/plain, text/markdown, */*', 'markdown'],
  ['text/markdown, */*', 'markdown'],
  ['application/json, text/markdown', 'markdown'],
  ['text/markdown;charset=utf-8', 'markdown'],
  ['text/markdown; charset=utf-8; q=0.5, text/html; q=0.4', 'markdown'],
  ['TEXT/Markdown', 'markdown'],
  ['text/markdown;Q=0.9,text/html;Q=0.8', 'markdown'],
  ['  text/markdown ,\t*/*;q=0.5', 'markdown'],
  // q-values.
  ['text/html;q=0.5, text/markdown;q=0.5', 'markdown'],
  ['text/markdown, text/html', 'markdown'],
  ['text/html, text/markdown', 'markdown'],
  ['text/html, text/markdown;q=0.9', 'html'],
  ['text/markdown;q=0.8, text/*;q=0.9', 'html'],
  ['text/markdown;q=0.5, */*', 'html'],
  ['text/markdown;q=0.5, */*;q=0.5', 'markdown'],
  ['text/markdown;q=0.001', 'markdown'],
  ['text/markdown;q=0.001, text/html;q=0', 'markdown'],
  ['text/html;q=0, text/markdown;q=0.1, */*', 'markdown'],
  ['text/markdown;q=0', 'html'],
  ['text/markdown;q=0.000, */*', 'html'],
  ['text/markdown;q=0, text/html;q=0', 'html'],
  // The same media type twice: its parameters are ignored, and the higher q-value counts.
  ['text/html;q=0.9, text/html;level=1;q=0.1, text/markdown;q=0.5', 'html'],
  ['text/markdown;variant=GFM;q=0.9, text/markdown;q=0.1, text/html;q=0.5', 'markdown'],
  ['text/markdown ; q = 0.4 , text/html ; q = 0.5', 'html'],
  // Neither is offered, or the header is invalid.
  ['application/pdf', 'html'],
  ['text/x-markdown', 'html'],
  ['text/markdownx', 'html'],
  ['application/markdown', 'html'],
  ['text/plain', 'markdown'],
  ['text/plain;q=0.5, text/html;q=0.4', 'markdown'],
  ['text/plain, */*;q=0.1', 'markdown'],
  ['text/plain;q=0', 'html'],
  ['text/plain, text/html', 'html'],
  ['text/plain, */*', 'html'],
  ['application/json, text/plain, */*', 'html'],
  ['text/*', 'html'],
  ['markdown', 'html'],
  [',,,;;;', 'html'],
  ['text/markdown;q=much', 'html'],
  ['text/markdown;q=-1', 'html'],
  ['text/markdown;q=2', 'html'],
  ['text/markdown;q=', 'html'],
  ['text/markdown;q=NaN, */*', 'html'],
  ['q=1', 'html'],
  ['/', 'html'],
  ['text/html'.repeat(1000), 'html'],
]

describe('a page', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    Object.assign(
      site,
      await startSite({
        'pages/about.md': markdown({ title: 'About' }, 'Plainly **bold**.'),
        'posts/post.md': markdown({ title: 'Post', date: '2024-01-01', tags: ['tag', 'été'] }),
      }),
    )
    cleanUp(suite, () => site.close())
  })

  for (const [accept, form] of CASES) {
    it(`is ${form} for ${accept === undefined ? 'no Accept at all' : `"${accept.slice(0, 60)}"`}`, async () => {
      const response = await askedFor(site, '/about', accept)
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('content-type'), `text/${form}; charset=utf-8`)
      assert.match(
        response.body,
        form === 'html' ? /^<!doctype html>/ : /^---\ntitle: "About"\n[^#]*\n# About\n\nPlainly \*\*bold\*\*\.\n$/,
      )
      assert.deepEqual(variesBy(response.headers), ['accept', 'accept-encoding', 'cookie'])
    })
  }

  for (const path of [
    '/',
    '/blog',
    '/blog/post',
    '/tags/tag',
    '/tags/%C3%A9t%C3%A9',
    '/about',
    '/docs',
    '/docs/content-api',
  ]) {
    it(`${path} has the same markdown at a URL of its own, and each media type links to the other`, async () => {
      const address = path === '/' ? '/index.md' : `${path}.md`
      const inHtml = await askedFor(site, path, 'text/html')
      const negotiated = await askedFor(site, path, 'text/markdown')
      for (const accept of [undefined, 'text/html', CHROME, 'application/json']) {
        const own = await askedFor(site, address, accept)
        assert.equal(own.status, 200)
        assert.equal(own.headers.get('content-type'), 'text/markdown; charset=utf-8')
        assert.equal(own.body, negotiated.body)
      }
      assert.match(negotiated.body, /\n---\n\n> \[All pages of Portico\]\(https:\/\/site\.example\/llms\.txt\)\n\n# \S/)
      const canonical = `<${SITE_ADDRESS}${path}>; rel="canonical"`
      const alternate = `<${SITE_ADDRESS}${address}>; rel="alternate"; type="text/markdown"`
      assert.ok(inHtml.headers.get('link')?.startsWith(`${alternate}, ${canonical}, `))
      assert.ok(negotiated.headers.get('link')?.startsWith(`${canonical}, `))
      assert.equal(Number(negotiated.headers.get('x-markdown-tokens')), Math.ceil(negotiated.body.length / 4))
      assert.notEqual(inHtml.headers.get('etag'), negotiated.headers.get('etag'))
    })
  }

  it('is negotiated quickly, however long the headers are', async () => {
    const long = `a${' '.repeat(15_000)}b`
    await assertProcessorTime(500, async () =>
      assert.equal((await fetchPlain(site, '/about', { accept: long, 'accept-encoding': long })).status, 200),
    )
  })

  it('is markdown only where it is a page', async () => {
    for (const path of ['/feed.xml.md', '/robots.txt.md', '/about.md.md', '/nothing.md', '/openapi.json.md']) {
      assert.equal((await get(site, path)).status, 404, path)
    }
    const feed = await askedFor(site, '/feed.xml', 'text/markdown')
    assert.match(feed.headers.get('content-type') ?? '', /^application\/rss\+xml/)
    assert.deepEqual(variesBy(feed.headers), ['accept-encoding'])
  })
})

describe('negotiate', () => {
  const forms = fc.subarray<Variant>(['html', 'markdown', 'json'])
  const range = fc.tuple(
    fc.constantFrom('text/html', 'text/markdown', 'application/json', 'text/*', '*/*', 'image/png', ''),
    fc.constantFrom('', ';q=0', ';q=0.3', '; q=0.7', ';q=1', ';q=x', ';level=1;q=0.5'),
  )
  const header = fc.array(range).map((ranges) => ranges.map((parts) => parts.join('')).join(', '))

  it('never throws, and returns an offered media type or HTML', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), header), forms, (accept, offered) => {
        assert.ok(['html', ...offered].includes(negotiate(accept, offered)))
      }),
      { numRuns: 2000 },
    )
  })

  it('returns only HTML when no other media type is named with a q-value', () => {
    fc.assert(
      fc.property(header, (accept) => {
        const isNamed = /text\/markdown(?!;q=(0(?!\.)|x))/.test(accept)
        if (!isNamed) assert.equal(negotiate(accept, ['html', 'markdown']), 'html')
      }),
      { numRuns: 2000 },
    )
  })

  it('is fast with a long header', async () => {
    for (const piece of ['text/html,', ';', ' ', ';q=0.', ',', '\t;']) {
      await assertProcessorTime(500, () => negotiate(piece.repeat(20_000), ['markdown']))
    }
  })
})

async function askedFor(site: TestSite, path: string, accept: string | undefined) {
  const response = await fetchPlain(site, path, accept === undefined ? {} : { accept })
  return { ...response, body: response.body.toString() }
}
