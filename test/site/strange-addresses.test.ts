import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type ApiResponse, assertRefused, call, fetchPlain, get, type PlainResponse, variesBy } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { assertProcessorTime } from '../support/measuring.ts'
import { markdown, startSite, type TestSite } from '../support/site.ts'

const OUTSIDE = [
  '/../package.json',
  '/../../../../../../etc/passwd',
  '/blog/..%2f..%2fsite.yaml',
  '/blog/%2e%2e/%2e%2e/site.yaml',
  '/..%5c..%5csite.yaml',
  '/..\\..\\site.yaml',
  '/%00',
  '/about%00.md',
  '/about.md%00',
  '/%2e%2e%2fpackage.json',
  '/%252e%252e%252fpackage.json',
  '/%c0%ae%c0%ae/package.json',
  '//etc/passwd',
  '///etc/passwd',
  '/site.yaml',
  '/pages/about.md',
  '/posts/hidden.md',
  '/content/site.yaml',
  '/package.json',
  '/src/app.ts',
  '/data/portico.db',
  '/.env',
  '/.git/config',
  '/assets/../site.yaml',
  '/assets/',
  '/assets/site.css',
  '/index.html',
  '/.md',
  '/blog/.md',
  '/about//',
  '/dev',
  '/dev/unknown',
  '/.well-known/unknown',
  'http://elsewhere.example/unknown',
  '/__proto__',
  '/constructor',
  '/blog/__proto__',
  '/tags/',
  '/tags/constructor',
  '/%zz',
  '/%',
  '/%ff',
  `/${'a'.repeat(5_000)}`,
]

describe('a path that does not exist', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    const files = {
      'site.yaml': 'title: Site\ndescription: kept-in-the-file\n',
      'pages/about.md': markdown({ title: 'About' }),
      'posts/hidden.md': markdown({ title: 'Hidden', date: '2024-01-01', draft: true }),
    }
    Object.assign(site, await startSite(files))
    cleanUp(suite, () => site.close())
  })

  for (const path of OUTSIDE) {
    it(`${path.slice(0, 40)} is a 404, in the requested media type`, async () => {
      for (const [accept, type] of [
        ['text/html', 'text/html'],
        ['*/*', path.endsWith('.md') ? 'text/markdown' : 'text/html'],
        ['text/markdown', 'text/markdown'],
        ['application/json', 'application/json'],
        ['application/json, text/plain, */*', 'application/json'],
      ] as const) {
        const { status, headers, body } = await fetchPlain(site, path, { accept })
        assert.equal(status, 404)
        assert.equal(headers.get('content-type')?.split(';')[0], type)
        assert.ok(variesBy(headers).includes('accept'))
        assert.equal(headers.get('cache-control'), 'no-store')
        const text = body.toString()
        assert.doesNotMatch(text, /kept-in-the-file|root:|"dependencies"|ENOENT|\/tmp\/|\/work\/|at file:/)
        if (type === 'text/html') assert.match(text, /^<!doctype html>[\s\S]*<meta name="robots" content="noindex">/)
        if (type === 'text/markdown') assert.match(text, /^# Not found\n/)
        if (type === 'application/json') assertNotFound(JSON.parse(text))
      }
    })
  }

  it('is refused quickly, however long it is', async () => {
    for (const part of ['/', '%2f', '.md', '/.', '/../']) {
      await assertProcessorTime(500, async () =>
        assert.equal((await fetchPlain(site, `/${part.repeat(6_000)}a`)).status, 404, part),
      )
    }
  })

  it('redirects nowhere', async () => {
    for (const path of ['//evil.example/', '//evil.example', '/\\evil.example/', '/%2f%2fevil.example/', '//about/']) {
      const { status, headers } = await fetchPlain(site, path)
      assert.deepEqual([status, headers.get('location')], [404, null], path)
    }
  })

  it('is not repeated in the response', async () => {
    for (const accept of ['text/html', 'text/markdown', 'application/json']) {
      const { body } = await fetchPlain(site, '/%3Cscript%3Ealert(1)%3C/script%3E?q=<script>', { accept })
      assert.doesNotMatch(body.toString(), /<script|alert/)
    }
  })

  it('below /api is refused in the envelope of the account API, whatever the Accept header', async () => {
    for (const accept of ['text/html', 'text/markdown', 'application/json', '*/*']) {
      assertRefused(await get(site, '/api/unknown', { headers: { accept } }), 404, 'Not found')
      assertRefused(await get(site, '/api', { headers: { accept } }), 404, 'Not found')
    }
  })
})

describe('a page', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    Object.assign(site, await startSite({ 'pages/about.md': markdown({ title: 'About' }) }))
    cleanUp(suite, () => site.close())
  })

  for (const path of ['/', '/index.md', '/about', '/about.md', '/feed.xml', '/openapi.json', '/blog']) {
    it(`${path} can only be read`, async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) assertReadOnly(await call(site, method, path))
      assertReadOnly(await call(site, 'POST', path, { any: 'thing' }))
      assertReadOnly(await call(site, 'POST', path, 'a=b', { headers: { 'content-type': 'text/plain' } }))
      assertReadOnly(await call(site, 'POST', path, '{'))
    })
  }

  it('can only be read under its other URLs too', async () => {
    assertReadOnly(await call(site, 'OPTIONS', '/blog'))
    assertReadOnly(await call(site, 'POST', '/blog/', {}))
  })

  it('redirects from the path with a slash at the end, and keeps the query', async () => {
    for (const [path, location] of [
      ['/blog/', '/blog'],
      ['/about/?utm=1&a=%20b', '/about?utm=1&a=%20b'],
      ['/blog/?', '/blog?'],
    ] as const) {
      const { status, headers } = await fetchPlain(site, path)
      assert.deepEqual([status, headers.get('location')], [308, location])
    }
  })

  it('is found by a request target in absolute form, as proxies send it', async () => {
    for (const address of ['http://site.example/about', 'HTTPS://other.example:8080/about?a=b']) {
      assert.match((await fetchPlain(site, address)).body.toString(), /<h1 dir="auto">About<\/h1>/)
    }
    for (const address of ['http://site.example', 'http://site.example/', 'http://site.example?a=b']) {
      assert.equal((await fetchPlain(site, address)).status, 200, address)
    }
    assertRefused(await parsed(fetchPlain(site, 'http://site.example/api/unknown')), 404, 'Not found')
  })

  it('that does not exist cannot be written either', async () => {
    const { status, body } = await call(site, 'POST', '/nothing', {}, { headers: { accept: 'application/json' } })
    assert.equal(status, 404)
    assertNotFound(body)
  })
})

async function parsed(response: Promise<PlainResponse>): Promise<ApiResponse> {
  const { body, ...rest } = await response
  return { ...rest, body: JSON.parse(body.toString()) }
}

function assertReadOnly({ status, headers, body }: ApiResponse): void {
  assert.equal(status, 405)
  assert.equal(headers.get('allow'), 'GET, HEAD')
  assert.equal(body.error.code, 'method_not_allowed')
}

function assertNotFound(body: { error: Record<string, string> }): void {
  assert.deepEqual(Object.keys(body), ['error'])
  assert.deepEqual(Object.keys(body.error), ['code', 'message', 'hint'])
  assert.equal(body.error.code, 'not_found')
  assert.match(body.error.hint ?? '', /sitemap\.xml/)
}
