import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { decodeJwt } from 'jose'
import { someone } from '../support/accounts.ts'
import {
  assertSucceeded,
  call,
  codeFor,
  fetchPlain,
  mailsTo,
  newEmail,
  PASSWORD,
  type PlainResponse,
  post,
  registration,
} from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { withProviders } from '../support/providers.ts'
import { head, sendRaw } from '../support/raw-http.ts'
import { onBothEngines } from '../support/service.ts'
import { markdown, SharedCache, SITE_ADDRESS, startSite, type TestSite } from '../support/site.ts'

/** Every header from which a server might derive its own address. */
const ELSEWHERE = {
  host: 'evil.example',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'gopher',
  'x-forwarded-port': '31337',
  'x-forwarded-prefix': '/evil',
  'x-forwarded-server': 'evil.example',
  'x-host': 'evil.example',
  'x-original-url': '/evil',
  'x-rewrite-url': '/evil',
  'x-http-method-override': 'POST',
  forwarded: 'host=evil.example;proto=gopher',
  via: '1.1 evil.example',
  origin: 'https://evil.example',
  referer: 'https://evil.example/',
}

const PAGES = ['/', '/blog', '/blog/post', '/tags/tag', '/about', '/docs', '/nothing']
const FILES = ['/index.md', '/blog/post.md', '/feed.xml', '/feed.json', '/sitemap.xml', '/robots.txt', '/llms.txt']
const DOCUMENTS = ['/llms-full.txt', '/openapi.json', '/api/openapi.json', '/.well-known/jwks.json', '/api/nothing']

const CONTENT = {
  'pages/about.md': markdown({ title: 'About' }, 'Words and words. '.repeat(100)),
  'posts/post.md': markdown({ title: 'Post', date: '2024-01-01', tags: ['tag'] }),
}

/** Headers in which two responses may differ. */
function comparable({ status, headers, body }: PlainResponse) {
  const kept = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
  const text = body.toString().replace(/"(timestamp|requestId)":"[^"]*"/g, '')
  return { status, headers: kept, text }
}

describe('a site that is requested under another host name', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    Object.assign(site, await startSite(CONTENT))
    cleanUp(suite, () => site.close())
    // The very first request is hostile: its Host header must not become the address of the site.
    await fetchPlain(site, '/', ELSEWHERE)
  })

  for (const path of [...PAGES, ...FILES, ...DOCUMENTS, '/about/']) {
    it(`serves ${path} unchanged`, async () => {
      const hostile = await fetchPlain(site, path, ELSEWHERE)
      assert.doesNotMatch(JSON.stringify(comparable(hostile)), /evil|gopher|31337/)
      assert.deepEqual(comparable(await fetchPlain(site, path)), comparable(hostile))
    })
  }

  it('serves a request target in absolute form unchanged', async () => {
    const request = head('GET http://evil.example/about HTTP/1.1', 'Host: evil.example', 'Connection: close')
    const response = await sendRaw(site, request)
    assert.doesNotMatch(JSON.stringify([...response.headers, response.body]), /evil/)
  })

  it('uses its configured address in every response', async () => {
    for (const path of ['/about', '/feed.xml', '/sitemap.xml', '/robots.txt', '/llms.txt', '/openapi.json']) {
      const { body } = await fetchPlain(site, path, ELSEWHERE)
      assert.ok(body.toString().includes(SITE_ADDRESS), path)
      assert.doesNotMatch(body.toString(), /localhost|127\.0\.0\.1/, path)
    }
  })
})

describe('a shared cache', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    Object.assign(site, await startSite(CONTENT))
    cleanUp(suite, () => site.close())
  })

  const ACCEPTS = ['text/html', 'text/markdown', 'application/json', '*/*', '']
  const ENCODINGS = ['', 'gzip', 'br']
  const visitors = ACCEPTS.flatMap((accept) =>
    ENCODINGS.map((encoding) => ({ ...(accept && { accept }), ...(encoding && { 'accept-encoding': encoding }) })),
  )

  for (const order of ['one', 'the other']) {
    it(`gives every client the response that the site would give, requested in ${order} order`, async () => {
      const cache = new SharedCache(site)
      const requests = order === 'one' ? visitors : visitors.toReversed()
      for (const path of [...PAGES, ...FILES, '/api/user-details']) {
        for (const headers of [...requests, ...requests]) {
          const [cached, own] = [await cache.ask(path, headers), await fetchPlain(site, path, headers)]
          assert.deepEqual(comparable(cached), comparable(own), `${path} ${JSON.stringify(headers)}`)
          assert.equal(decoded(cached), decoded(own))
        }
      }
      assert.ok(cache.hits > 100, `${cache.hits} hits`)
    })
  }

  it('never serves a response to a hostile request to another client', async () => {
    const cache = new SharedCache(site)
    for (const path of [...PAGES, ...FILES, ...DOCUMENTS]) {
      await cache.ask(path, { ...ELSEWHERE, accept: 'text/html' })
      await cache.ask(path, { ...ELSEWHERE, range: 'bytes=0-3' })
      for (const headers of [{ accept: 'text/html' }, {}]) {
        assert.deepEqual(
          comparable(await cache.ask(path, headers)),
          comparable(await fetchPlain(site, path, headers)),
          path,
        )
      }
    }
  })

  it('stores no response to a signed-in client', async () => {
    const cache = new SharedCache(site)
    const { accessToken, sessionId } = await someone(site)
    const own = { authorization: `Bearer ${accessToken}`, 'x-session-id': sessionId }
    for (const path of ['/api/user-details', '/api/sessions', '/api/security-events']) {
      assert.equal((await cache.ask(path, own)).status, 200)
      for (const suffix of ['', '?x.css', '/x.css', '/..%2fx.css', ';x.css']) {
        assert.equal((await cache.ask(path + suffix, own)).headers.get('cache-control'), 'no-store')
        assert.notEqual((await cache.ask(path + suffix)).status, 200)
      }
    }
    assert.equal(cache.hits, 0)
  })
})

describe('a request under another host name', () => {
  onBothEngines(
    (service) => {
      it('changes neither a mail nor a token', async () => {
        const email = newEmail()
        const { host: _, ...headers } = ELSEWHERE
        // fetch() sets the Host header itself. The raw request further down does not.
        assertSucceeded(await post(service, '/api/create-account', registration({ email }), { headers }), 201)
        const verification = { email, verificationCode: await codeFor(service, email) }
        const response = await post(service, '/api/email-verification', verification, { headers })
        assertSucceeded(response)
        const { iss, aud } = decodeJwt(response.body.data.accessToken)
        assert.deepEqual([iss, aud], [SITE_ADDRESS, SITE_ADDRESS])

        const body = JSON.stringify({ email })
        const lines = Object.entries(ELSEWHERE).map(([name, value]) => `${name}: ${value}`)
        const length = ['Connection: close', 'Content-Type: application/json', `Content-Length: ${body.length}`]
        const asked = await sendRaw(service, head('POST /api/forgot-password HTTP/1.1', ...lines, ...length), body)
        assertSucceeded(asked)
        const mails = await mailsTo(service, email)
        assert.equal(mails.length, 2)
        for (const mail of mails) {
          assert.doesNotMatch(JSON.stringify(mail), /evil|gopher/)
          assert.ok(mail.text.includes('site.example') && mail.html.includes('site.example'))
        }
      })

      it('cannot be turned into another request by a header', async () => {
        const person = await someone(service)
        const headers = { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE', 'x-original-url': '/' }
        const body = { password: PASSWORD }
        for (const method of ['GET', 'POST']) {
          const sent = method === 'POST' ? body : undefined
          await call(service, method, '/api/delete-user?_method=DELETE', sent, { as: person, headers })
          await call(service, method, '/api/user-details?_method=DELETE', sent && {}, { as: person, headers })
        }
        assert.ok(await service.portico.store.findById(person.userId))
      })
    },
    { BASE_URL: SITE_ADDRESS },
  )
})

describe('a sign-in under another host name', () => {
  withProviders((service) => {
    it('returns to the configured address', async () => {
      const response = await sendRaw(
        service,
        head(
          'GET /api/oauth/codehost/start HTTP/1.1',
          'Host: evil.example',
          'X-Forwarded-Host: evil.example',
          'X-Forwarded-Proto: https',
          'Connection: close',
        ),
      )
      assert.equal(response.status, 302)
      const location = response.headers.get('location') ?? ''
      assert.equal(new URL(location).searchParams.get('redirect_uri'), 'http://localhost:3000/api/oauth/codehost')
      assert.ok(!location.includes('evil'))
    })
  })
})

function decoded({ headers, body }: PlainResponse): string {
  const encoding = headers.get('content-encoding')
  const plain = encoding === 'br' ? brotliDecompressSync(body) : encoding === 'gzip' ? gunzipSync(body) : body
  return plain.toString().replace(/"(timestamp|requestId)":"[^"]*"/g, '')
}
