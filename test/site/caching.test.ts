import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { fetchPlain, type PlainResponse, variesBy } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { startGithub } from '../support/contribution-calendar.ts'
import { temporaryDatabase } from '../support/service.ts'
import { eventually, markdown, startSite, startSiteOn, type TestSite } from '../support/site.ts'

const PATHS = [
  '/',
  '/index.md',
  '/blog',
  '/blog/post',
  '/blog/post.md',
  '/tags/tag',
  '/about',
  '/docs',
  '/docs/account-api',
  '/docs/content-api.md',
  '/feed.xml',
  '/feed.json',
  '/sitemap.xml',
  '/robots.txt',
  '/llms.txt',
  '/llms-full.txt',
  '/openapi.json',
  '/favicon.svg',
  '/contributions.svg',
  '/api/github-contributions',
  '/api/openapi.json',
]
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/

describe('a public response', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    const github = await startGithub()
    const files = {
      'pages/about.md': markdown({ title: 'About', date: '2024-05-06' }, 'Words and words. '.repeat(100)),
      'posts/post.md': markdown({ title: 'Post', date: '2024-01-01', updated: '2024-02-03', tags: ['tag'] }),
    }
    Object.assign(site, await startSite(files, github.settings))
    cleanUp(suite, () => site.close())
    await eventually(async () => assert.equal((await fetchPlain(site, '/contributions.svg')).status, 200))
    await github.close()
  })

  for (const path of PATHS) {
    it(`${path} has a strong ETag, a Last-Modified and a max-age`, async () => {
      const { status, headers } = await fetchPlain(site, path)
      assert.equal(status, 200)
      assert.match(headers.get('etag') ?? '', /^"[\x21\x23-\x7e]+"$/)
      assert.match(headers.get('last-modified') ?? '', HTTP_DATE)
      assert.ok(Date.parse(headers.get('last-modified') ?? '') <= Date.now())
      assert.match(headers.get('cache-control') ?? '', /^public, max-age=\d+/)
      assert.ok(variesBy(headers).includes('accept-encoding'))
      assert.equal(headers.get('set-cookie'), null)
    })

    it(`${path} is a 304 for a client that has it`, async () => {
      const first = await fetchPlain(site, path)
      const etag = first.headers.get('etag') ?? ''
      const modified = first.headers.get('last-modified') ?? ''
      for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, `"a,b" , W/"x",W/${etag}`, '*']) {
        assertNotModified(await fetchPlain(site, path, { 'if-none-match': tags }), first)
        // The ETag takes precedence over any date (RFC 9110, section 13.2.2).
        assertNotModified(await fetchPlain(site, path, { 'if-none-match': tags, 'if-modified-since': LONG_AGO }), first)
      }
      assertNotModified(await fetchPlain(site, path, { 'if-modified-since': modified }), first)
      assertNotModified(await fetchPlain(site, path, { 'if-modified-since': new Date().toUTCString() }), first)
      assertNotModified(await fetchPlain(site, path, { 'if-none-match': etag }, 'HEAD'), first)
    })

    it(`${path} is sent to a client that has another version`, async () => {
      const first = await fetchPlain(site, path)
      const modified = first.headers.get('last-modified') ?? ''
      const others: Record<string, string>[] = [
        { 'if-none-match': '"other"' },
        { 'if-none-match': '"other"', 'if-modified-since': modified },
        { 'if-none-match': '' },
        { 'if-none-match': (first.headers.get('etag') ?? '').slice(1, -1) },
        { 'if-modified-since': LONG_AGO },
        { 'if-modified-since': new Date(Date.parse(modified) - 1000).toUTCString() },
        { 'if-modified-since': 'yesterday' },
        // Dates, but not in the format of HTTP.
        { 'if-modified-since': '2999' },
        { 'if-modified-since': '2999-01-01T00:00:00.000Z' },
      ]
      for (const headers of others) assertSame(await fetchPlain(site, path, headers), first, JSON.stringify(headers))
    })

    it(`${path} is the same in each encoding, with an ETag of its own`, async () => {
      const plain = await fetchPlain(site, path)
      assert.equal(plain.headers.get('content-encoding'), null)
      const isSmall = plain.body.length < 512
      const br = await fetchPlain(site, path, { 'accept-encoding': 'gzip, deflate, br, zstd' })
      const gzip = await fetchPlain(site, path, { 'accept-encoding': 'gzip' })
      if (isSmall) return assert.deepEqual([br.body, gzip.body], [plain.body, plain.body])
      assert.equal(br.headers.get('content-encoding'), 'br')
      assert.equal(gzip.headers.get('content-encoding'), 'gzip')
      assert.deepEqual(brotliDecompressSync(br.body), plain.body)
      assert.deepEqual(gunzipSync(gzip.body), plain.body)
      assert.ok(br.body.length < plain.body.length && gzip.body.length < plain.body.length)
      assert.equal(new Set([plain, br, gzip].map(({ headers }) => headers.get('etag'))).size, 3)
      for (const [response, encoding] of [
        [br, 'br'],
        [gzip, 'gzip'],
      ] as const) {
        const headers = { 'accept-encoding': encoding, 'if-none-match': response.headers.get('etag') ?? '' }
        assertNotModified(await fetchPlain(site, path, headers), response)
        assert.ok(variesBy(response.headers).includes('accept-encoding'))
        // A client that has it in another encoding has other bytes.
        const other = { ...headers, 'if-none-match': plain.headers.get('etag') ?? '' }
        assertSame(await fetchPlain(site, path, other), response, encoding)
      }
    })

    it(`${path} has the same headers for HEAD, and no body`, async () => {
      for (const encoding of ['identity', 'br']) {
        const got = await fetchPlain(site, path, { 'accept-encoding': encoding })
        const head = await fetchPlain(site, path, { 'accept-encoding': encoding }, 'HEAD')
        assert.equal(head.status, 200)
        assert.equal(head.body.length, 0)
        assert.equal(head.headers.get('content-length'), String(got.body.length))
        for (const name of [
          'content-type',
          'etag',
          'last-modified',
          'cache-control',
          'content-encoding',
          'vary',
          'link',
        ]) {
          assert.equal(head.headers.get(name), got.headers.get(name), name)
        }
      }
    })
  }

  it('is encoded by the Accept-Encoding of the client', async () => {
    const cases: [accepted: string, encoding: string | null][] = [
      ['', null],
      ['identity', null],
      ['deflate', null],
      ['br', 'br'],
      ['BR', 'br'],
      ['gzip', 'gzip'],
      ['*', 'br'],
      ['br;q=0', null],
      ['br;q=0.0, gzip', 'gzip'],
      ['br;q=0, gzip;q=0', null],
      ['*;q=0', null],
      ['br;q=0, *', 'gzip'],
      ['gzip;q=0, *;q=0.5', 'br'],
      ['br; q=0 , gzip ; q=0.5', 'gzip'],
      ['br ; q = 0, gzip', 'gzip'],
      ['br;q=0.1, gzip;q=1', 'gzip'],
      ['gzip;q=0.1, br;q=1', 'br'],
      ['gzip;q=0.5, br;q=0.5', 'br'],
      ['gzip;q=0.5, *;q=0.8', 'br'],
      ['identity, br;q=0.5, gzip;q=0.5', null],
      ['identity;q=0.5, br;q=0.5', 'br'],
      ['gzip;q=nonsense', null],
      [',;,', null],
    ]
    for (const [accepted, encoding] of cases) {
      const { status, headers } = await fetchPlain(site, '/about', { 'accept-encoding': accepted })
      assert.deepEqual([status, headers.get('content-encoding')], [200, encoding], accepted)
    }
  })

  it('names assets that may be cached without end, under a name that changes with them', async () => {
    const page = (await fetchPlain(site, '/')).body.toString()
    for (const [extension, type] of [
      ['css', 'text/css; charset=utf-8'],
      ['woff2', 'font/woff2'],
    ] as const) {
      const address = page.match(/(?<=href=")\/assets\/[^"]+/g)?.find((path) => path.endsWith(extension)) ?? ''
      assert.match(address, /\.[0-9a-f]{12}\.\w+$/)
      const { status, headers } = await fetchPlain(site, address)
      assert.equal(status, 200)
      assert.equal(headers.get('content-type'), type)
      assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
    }
    assert.equal((await fetchPlain(site, '/assets/public.000000000000.css')).status, 404)
  })

  it('is not cached when it is a 404', async () => {
    const { status, headers } = await fetchPlain(site, '/nothing', { 'if-none-match': '*' })
    assert.deepEqual([status, headers.get('cache-control'), headers.get('etag')], [404, 'no-store', null])
  })
})

describe('Last-Modified', () => {
  const post = (words: string, updated: string) =>
    markdown({ title: 'Post', date: '2024-01-01', updated, tags: ['tag'] }, words)

  it('does not hide changes made while the service was down', async (test) => {
    test.mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const env = await temporaryDatabase(test, 'sqlite')
    const first = await startSiteOn(env, { 'posts/post.md': post('Before', '2024-02-03') })
    const { headers } = await fetchPlain(first, '/blog/post')
    await first.close()

    test.mock.timers.setTime(Date.now() + 1_000)
    const second = await startSiteOn(env, { 'posts/post.md': post('Afterwards', '2024-02-03') })
    cleanUp(test, () => second.close())
    const since = { 'if-modified-since': headers.get('last-modified') ?? '' }
    const { status, body } = await fetchPlain(second, '/blog/post', since)
    assert.equal(status, 200)
    assert.match(body.toString(), /Afterwards/)
  })

  it('is never in the future', async (test) => {
    const site = await startSite({ 'posts/post.md': post('Words', '2999-01-01') })
    cleanUp(test, () => site.close())
    for (const path of ['/blog/post', '/blog', '/tags/tag', '/', '/feed.xml', '/sitemap.xml']) {
      const { headers } = await fetchPlain(site, path)
      assert.ok(Date.parse(headers.get('last-modified') ?? '') <= Date.now(), path)
    }
    for (const path of ['/feed.xml', '/feed.json', '/sitemap.xml']) {
      const text = (await fetchPlain(site, path)).body.toString()
      assert.doesNotMatch(text, /2999/, path)
      assert.match(text, /2024/, path)
    }
  })
})

const LONG_AGO = new Date(0).toUTCString()

function assertNotModified({ status, headers, body }: PlainResponse, first: PlainResponse): void {
  assert.equal(status, 304)
  assert.equal(body.length, 0)
  assert.equal(headers.get('content-encoding'), null)
  for (const name of ['etag', 'last-modified', 'cache-control', 'vary']) {
    assert.equal(headers.get(name), first.headers.get(name), name)
  }
}

function assertSame({ status, body }: PlainResponse, first: PlainResponse, message: string): void {
  assert.equal(status, 200, message)
  assert.deepEqual(body, first.body)
}
