import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { fetchPlain, get } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { eventually, markdown, SITE_ADDRESS, startSite, type TestSite } from '../support/site.ts'

const FILES = {
  'site.yaml': 'title: A tool\nsections:\n  - title: Guides\n    pages: [guides/backup.md]\n',
  'pages/guides/backup.md': markdown(
    { title: 'Backups', description: 'Copies of the data' },
    `Copy often.

## Restore a copy

Stop the service. Set \`DATABASE_URL\` to the copy, then start the service <!-- secretcomment --> again.

\`\`\`sh
cp copy.db portico.db
\`\`\`
`,
  ),
  'pages/about.md': markdown({ title: 'About' }, 'Nobody backups the café.\n\n## Backups of others\n\nText.'),
  'pages/xss.md': markdown({ title: '<b>Bold</b> & brave' }, 'A `<script>alert(1)</script>` in the text.'),
  'pages/index.md': markdown({ title: 'Home' }, 'Welcome, traveller.'),
  'posts/old.md': markdown(
    { title: 'An old post', date: '2024-01-02', series: 'Zoology' },
    'It mentions backups, service and travel.',
  ),
  'posts/tagged.md': markdown({ title: 'A post', date: '2024-01-03', tags: ['Gardening'] }, 'Words.'),
  'posts/grows.md': markdown({ title: 'Another post', date: '2024-01-04' }, 'Some gardening.'),
  'posts/rough.md': markdown({ title: 'Backups draft', date: '2024-01-01', draft: true }),
  'posts/later.md': markdown({ title: 'Backups later', date: '2999-01-01' }),
  'posts/kanji.md': markdown({ title: 'Language', date: '2024-01-01' }, '東京の図書館で本を読む。'),
}

interface Results {
  query: string
  total: number
  results: { title: string; heading: string; url: string; label: string; excerpt: string }[]
}

describe('the search', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    Object.assign(site, await startSite(FILES, { RATE_LIMITS: 'on', RATE_LIMIT_API: '1000/1m' }))
    cleanUp(suite, () => site.close())
  })
  const search = async (words: string): Promise<Results> => {
    const { status, body } = await get(site, `/search.json?q=${encodeURIComponent(words)}`)
    assert.equal(status, 200, words)
    return body
  }
  const found = async (words: string) => (await search(words)).results.map(({ url }) => url.replace(SITE_ADDRESS, ''))

  it('finds titles first, then headings, then text', async () => {
    assert.deepEqual(await found('backups'), ['/guides/backup', '/about#backups-of-others', '/blog/old'])
  })

  it('finds tags and series like headings', async () => {
    assert.deepEqual(await found('gardening'), ['/blog/tagged', '/blog/grows'])
    assert.deepEqual(await found('zoology'), ['/blog/old'])
  })

  it('leads to the heading, and shows the text around the words', async () => {
    const { total, results } = await search('stop service')
    assert.equal(total, 1)
    assert.deepEqual(results, [
      {
        title: 'Backups',
        heading: 'Restore a copy',
        url: `${SITE_ADDRESS}/guides/backup#restore-a-copy`,
        label: 'Guides',
        excerpt: 'Stop the service. Set DATABASE_URL to the copy, then start the service again. cp copy.db portico.db',
      },
    ])
    assert.deepEqual((await search('travel')).results[0]?.label, '2 January 2024')
  })

  for (const [words, path] of [
    ['travell', '/'],
    ['BACK', '/guides/backup'],
    ['copeis data', '/guides/backup'],
    ['servce resto', '/guides/backup#restore-a-copy'],
    ['welcom', '/'],
    ['wellcome', '/'],
    ['welxome zzzz', '/'],
    ['cofe', '/about'],
    ['travvelller', '/'],
    ['mentinos', '/blog/old'],
    ['tr', '/'],
    ['cafe', '/about'],
    ['CAFÉ', '/about'],
    ['database_url', '/guides/backup#restore-a-copy'],
    ['database', '/guides/backup#restore-a-copy'],
    ['cp copy.db', '/guides/backup#restore-a-copy'],
    ['図書館', '/blog/kanji'],
    ['__proto__ constructor travel', '/blog/old'],
  ] as const) {
    it(`finds ${path} by "${words}"`, async () => assert.equal((await found(words))[0], path))
  }

  for (const words of ['', ' ', 'secretcomment', 'draft', 'later', 'welxxme', 't', 'zzzz', '!!', '\u0000', '%'])
    it(`finds nothing by ${JSON.stringify(words)}`, async () => {
      assert.deepEqual(await found(words), [])
    })

  it('is a page with the matches marked, for visitors without scripts and not for search engines', async () => {
    const { status, headers, body } = await get(site, '/search?q=copy+servi')
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'private, max-age=60')
    assert.equal(headers.get('x-robots-tag'), 'noindex')
    assert.match(headers.get('vary') ?? '', /Accept, Cookie/)
    assert.match(body, /<meta name="robots" content="noindex">/)
    assert.match(body, /<input id="q" type="search" name="q" value="copy servi" maxlength="200"/)
    assert.match(
      body,
      /<a href="\/guides\/backup#restore-a-copy" dir="auto">Backups <span[^>]*><span aria-hidden="true">›<\/span> Restore a <mark>copy<\/mark><\/span><\/a>/,
    )
    assert.match(body, /Stop the <mark>service<\/mark>\./)
    assert.doesNotMatch(body, /<script/)
    assert.match((await get(site, '/about')).body, /<form class="site-search" role="search" action="\/search">/)
  })

  it('has fields whose direction is that of the typed words', async () => {
    for (const path of ['/search', '/about'])
      assert.match((await get(site, path)).body, /<input id="(?:q|site-search)" type="search"[^>]* dir="auto">/, path)
  })

  it('says which words no page has, as for a typing mistake', async () => {
    for (const [query, notice] of [
      ['restroe', 'No page has “restroe”: the results are for similar or other words.'],
      ['copy xyzzy restroe', 'No page has “xyzzy” or “restroe”: the results are for similar or other words.'],
    ] as const) {
      const address = `/search?q=${encodeURIComponent(query)}`
      assert.match(
        (await get(site, address)).body,
        new RegExp(`<p class="meta" role="status">\\d pages?\\. ${notice}</p>`),
      )
      assert.ok((await get(site, address, { headers: { accept: 'text/markdown' } })).body.includes(notice))
    }
    assert.doesNotMatch((await get(site, '/search?q=copy+servi')).body, /No page has/)
  })

  it('is markdown and JSON too', async () => {
    const text = 'text/markdown; charset=utf-8'
    for (const [path, accept, type] of [
      ['/search?q=travel', 'text/markdown', text],
      ['/search.md?q=travel', '*/*', text],
      ['/search?q=travel', 'application/json', 'application/json; charset=utf-8'],
      ['/search.json?q=travel', '*/*', 'application/json; charset=utf-8'],
    ] as const) {
      const { headers, body } = await get(site, path, { headers: { accept } })
      assert.equal(headers.get('content-type'), type, path)
      if (type === text) {
        const canonical = `${SITE_ADDRESS}/search?q=travel`
        const link = headers.get('link') ?? ''
        assert.ok(link.includes(`<${canonical}>; rel="canonical", <${SITE_ADDRESS}/llms.txt>; rel="describedby"`), link)
        assert.equal(headers.get('x-markdown-tokens'), String(Math.ceil(body.length / 4)))
        assert.match(body, /^---\ntitle: "Search"\n/)
        assert.ok(body.includes(`\ncanonical: "${canonical}"\n---\n\n> [All pages of `))
        assert.match(
          body,
          /\n# Search: travel\n\n2 pages\n\n- \[An old post\]\(https:\/\/site\.example\/blog\/old\.md\): It/,
        )
      } else assert.equal(body.total, 2)
    }
    assert.match((await get(site, '/search.md')).body, /\/search\?q=words/)
    assert.match((await get(site, '/llms.txt')).body, /https:\/\/site\.example\/search\?q=words/)
  })

  it('is compressed as the client accepts, and leads to its markdown', async () => {
    const path = '/search?q=copy%20servi'
    const plain = await fetchPlain(site, path)
    assert.equal(plain.headers.get('content-encoding'), null)
    assert.ok(
      plain.headers.get('link')?.startsWith(`<${SITE_ADDRESS}/search.md?q=copy%20servi>; rel="alternate"`),
      plain.headers.get('link') ?? '',
    )
    for (const [accepted, unpack] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const { headers, body } = await fetchPlain(site, path, { 'accept-encoding': accepted })
      assert.equal(headers.get('content-encoding'), accepted)
      assert.match(headers.get('vary') ?? '', /Accept-Encoding/)
      assert.ok(body.length < plain.body.length / 2)
      assert.deepEqual(unpack(body), plain.body)
    }
  })

  it('escapes the query and the pages', async () => {
    const query = '"><script>alert(1)</script> bold'
    const { body } = await get(site, `/search?q=${encodeURIComponent(query)}`)
    assert.doesNotMatch(body, /<script|<b>/)
    assert.match(body, /value="&quot;&gt;&lt;script&gt;alert\(1\)&lt;\/script&gt; bold"/)
    assert.match(body, /&lt;b&gt;<mark>Bold<\/mark>&lt;\/b&gt; &amp; brave/)
    assert.doesNotMatch((await get(site, '/search.md?q=%3Cscript%3E')).body, /(?<!\\)<script/)
  })

  it('refuses a query of more than 200 characters', async () => {
    const long = 'a'.repeat(201)
    const page = await get(site, `/search?q=${long}`)
    assert.deepEqual([page.status, page.headers.get('cache-control')], [400, 'no-store'])
    assert.match(page.body, /A search may have 200 characters at most/)
    const { status, body } = await get(site, `/search.json?q=${long}`)
    assert.deepEqual([status, body.error.code], [400, 'refused'])
    assert.equal((await get(site, `/search.json?q=${'é '.repeat(100).trim()}`)).status, 200)
  })

  it('counts the characters of a query as its description does: code points, before it is trimmed', async () => {
    const statusOf = async (query: string) => (await get(site, `/search.json?q=${encodeURIComponent(query)}`)).status
    assert.deepEqual([await statusOf('😀'.repeat(200)), await statusOf('😀'.repeat(201))], [200, 400])
    assert.equal(await statusOf(`bold${' '.repeat(197)}`), 400)
  })

  it('counts in the rate limit of the API', async () => {
    const { headers } = await get(site, '/search?q=a')
    assert.match(headers.get('ratelimit-policy') ?? '', /"api";q=1000/)
  })

  it('can be turned off', async () => {
    await site.write('site.yaml', 'title: A tool\nsearch: no\n')
    await eventually(async () => assert.equal((await get(site, '/search?q=travel')).status, 404))
    assert.equal((await get(site, '/search.json?q=travel')).body.error.code, 'not_found')
    assert.doesNotMatch((await get(site, '/about')).body, /site-search/)
    assert.doesNotMatch((await get(site, '/llms.txt')).body, /\/search/)
  })
})
