import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { createApp } from '../../src/app.ts'
import { someone } from '../support/accounts.ts'
import { call, get, logIn, PASSWORD, type Person, post, registration } from '../support/api.ts'
import { describedRoutes } from '../support/api-description.ts'
import { cleanUp } from '../support/clean-up.ts'
import { MEMBER_PATHS, PageVisitor, PUBLIC_PATHS, signUpOnPages } from '../support/page-visitor.ts'
import { LIMITED } from '../support/rate-limits.ts'
import { head, sendRaw } from '../support/raw-http.ts'
import { onSqlite, startService } from '../support/service.ts'

const PAGES = ['/', '/index.md', '/blog', '/docs', '/docs/account-api', '/nothing', '/%zz', '/a%00', '//etc/passwd']
const FILES = ['/feed.xml', '/feed.json', '/sitemap.xml', '/robots.txt', '/llms.txt', '/openapi.json', '/favicon.svg']

describe('the security headers', () => {
  onSqlite((service, engine) => {
    let person: Person
    before(async () => {
      person = await someone(service)
    })

    it('are on the response of every route, signed in or not', async () => {
      const { server } = createApp(service.portico)
      const routes = server.list().filter((route) => !route.includes('*'))
      await server.close()
      assert.ok(routes.length > 35)
      for (const route of routes) {
        const [method = '', path = ''] = route.split(' ')
        for (const as of [undefined, person]) {
          // Ending the session would change the next response.
          if (as && /logout|delete-user/.test(path)) continue
          const response = await call(service, method, path.replace(/:\w+/, 'x'), undefined, { as, redirect: 'manual' })
          assertProtected(response.headers, route)
        }
      }
    })

    it('are on every page and file, and on 404 responses, in every media type', async () => {
      const { body } = await get(service, '/')
      const stylesheet = /href="(\/assets\/[^"]+)"/.exec(body)?.[1] ?? ''
      for (const path of [...PAGES, ...FILES, stylesheet]) {
        for (const accept of ['text/html', 'text/markdown', 'application/json']) {
          const { headers } = await get(service, path, { headers: { accept } })
          assertProtected(headers, `${path} as ${accept}`)
        }
        assertProtected((await call(service, 'DELETE', path)).headers, path)
        const { headers } = await get(service, path, { headers: { 'if-none-match': '*' } })
        assertProtected(headers, `${path}, unchanged`)
      }
    })

    it('let no style sheet of the author send values of an account page as addresses of pictures', async () => {
      const { visitor, email } = await signUpOnPages(service)
      const sourcesOf = async (path: string) => {
        const policy = (await visitor.get(path)).headers.get('content-security-policy') ?? ''
        return /img-src ([^;]*)/.exec(policy)?.[1] ?? ''
      }
      const own = `'self' blob: ${new URL(service.portico.config.uploadUrl).origin}`
      for (const path of MEMBER_PATHS) assert.equal(await sourcesOf(path), own, path)
      const as = await logIn(service, { email, password: PASSWORD })
      for (const [avatar, sources] of [
        ['https://pictures.example/a.png', `${own} https://pictures.example`],
        ['https://a;sandbox/a.png', own],
        ['https://a,b/a.png', own],
      ] as const) {
        const { status } = await post(service, '/api/upload-avatar', { avatar }, { as })
        assert.equal(await sourcesOf('/account'), status === 200 ? sources : `${own} https://pictures.example`, avatar)
        assert.equal(await sourcesOf('/account/security'), own)
      }
      const guest = new PageVisitor(service)
      for (const path of PUBLIC_PATHS) {
        const { headers } = await guest.get(`${path}?token=${'a'.repeat(22)}`)
        assert.match(headers.get('content-security-policy') ?? '', new RegExp(`; img-src ${own};`), path)
      }
    })

    it('are on responses that no route creates', async () => {
      const requests: [what: string, ...parts: string[]][] = [
        ['no HTTP at all', 'nonsense\r\n\r\n'],
        ['no Host', head('GET /api/user-details HTTP/1.1')],
        ['headers too large', head('GET / HTTP/1.1', 'Host: x', `X-Large: ${'x'.repeat(200_000)}`)],
        ['an expectation', head('GET / HTTP/1.1', 'Host: x', 'Connection: close', 'Expect: miracles')],
        ['an invalid path of the API', head('GET /api/%zz HTTP/1.1', 'Host: x', 'Connection: close')],
        ['an invalid path of a page', head('GET /%zz HTTP/1.1', 'Host: x', 'Connection: close')],
        ['an unknown method', head('PROPFIND /api/log-in HTTP/1.1', 'Host: x', 'Connection: close')],
      ]
      for (const [what, ...parts] of requests) assertProtected((await sendRaw(service, ...parts)).headers, what)
    })

    it('keep every response of the account API out of every cache, whatever its status', async () => {
      for (const { method, path } of await describedRoutes(service)) {
        for (const as of [undefined, person]) {
          if (as && /logout|delete-user/.test(path)) continue
          const { status, headers } = await call(service, method, path, undefined, { as })
          assert.equal(headers.get('cache-control'), 'no-store', `${method} ${path} ${status}`)
          assert.equal(headers.get('etag'), null)
        }
      }
      const others = [
        await post(service, '/api/create-account', registration()),
        await post(service, '/api/log-in', 'x'.repeat(200_000)),
        await get(service, '/api/nothing-here'),
        await call(service, 'PUT', '/api/log-in'),
      ]
      assert.deepEqual(
        others.map(({ status }) => status),
        [201, 413, 404, 405],
      )
      for (const { headers } of others) assert.equal(headers.get('cache-control'), 'no-store')
    })

    it('are on responses to internal errors and to overload', async (t) => {
      const broken = await startService(engine, { ...LIMITED, RATE_LIMIT_API: '1/1h', LOG_LEVEL: 'silent' })
      cleanUp(t, () => broken.close())
      await sql`drop table security_events`.execute(broken.portico.database.query)
      const failed = await post(broken, '/api/create-account', registration())
      const limited = await post(broken, '/api/create-account', registration())
      assert.deepEqual([failed.status, limited.status], [500, 429])
      for (const { status, headers } of [failed, limited]) {
        assertProtected(headers, String(status))
        assert.equal(headers.get('cache-control'), 'no-store')
      }
    })

    it('have no Strict-Transport-Security without https', async () => {
      for (const path of ['/', '/api/user-details']) {
        assert.equal((await get(service, path)).headers.get('strict-transport-security'), null)
      }
    })
  })
})

describe('a service with an https address', () => {
  onSqlite(
    (service) => {
      it('sends Strict-Transport-Security with every response', async () => {
        for (const path of ['/', '/feed.xml', '/nothing', '/api/user-details', '/api/nothing-here', '/healthz']) {
          const { headers } = await get(service, path)
          assert.match(headers.get('strict-transport-security') ?? '', /^max-age=\d{8,}; includeSubDomains$/)
        }
      })
    },
    { BASE_URL: 'https://portico.example.com' },
  )
})

function assertProtected(headers: Headers, what: string): void {
  assert.equal(headers.get('x-content-type-options'), 'nosniff', what)
  assert.equal(headers.get('x-frame-options'), 'DENY', what)
  assert.match(headers.get('referrer-policy') ?? '', /^(no-referrer|same-origin|strict-origin(-when-cross-origin)?)$/)
  const policy = headers.get('content-security-policy') ?? ''
  assert.match(policy, /default-src 'none'/, what)
  // An SVG opened by itself may use its inline style: it is sandboxed, and runs no scripts.
  const isDrawing = policy.endsWith('; sandbox')
  if (isDrawing) assert.match(what, /\.svg/)
  else assert.match(policy, /frame-ancestors 'none'/, what)
  assert.doesNotMatch(isDrawing ? policy.replace("style-src 'unsafe-inline'", '') : policy, /unsafe-|\*|data:/, what)
  assert.equal(headers.get('x-powered-by'), null, what)
  assert.equal(headers.get('server'), null, what)
}
