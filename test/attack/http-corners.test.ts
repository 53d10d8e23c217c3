import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { someone } from '../support/accounts.ts'
import { assertRefused, newEmail, PASSWORD, type Person, registration } from '../support/api.ts'
import { exchange, head, sendRaw, statusesIn } from '../support/raw-http.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const HEALTH = head('GET /healthz HTTP/1.1', 'Host: x')
const LAST = head('GET /healthz HTTP/1.1', 'Host: x', 'Connection: close')

/** A POST with a JSON body, in the bytes of an HTTP client. */
function posted(path: string, body: unknown, ...lines: string[]): string {
  const text = JSON.stringify(body)
  const all = ['Host: x', 'Content-Type: application/json', `Content-Length: ${text.length}`, ...lines]
  return head(`POST ${path} HTTP/1.1`, ...all) + text
}

const asPerson = ({ accessToken, sessionId }: Person) => [
  `Authorization: Bearer ${accessToken}`,
  `X-Session-Id: ${sessionId}`,
]

/** Request heads that are refused, with the status of the response. The connection is closed after each. */
const REFUSED: [what: string, status: number, request: string][] = [
  ['no Host', 400, head('GET /healthz HTTP/1.1')],
  ['two Hosts', 400, head('GET /healthz HTTP/1.1', 'Host: a', 'Host: b')],
  ['the same Host twice', 400, head('GET /healthz HTTP/1.1', 'Host: a', 'hOsT: a')],
  ['two Hosts in HTTP/1.0', 400, head('GET /healthz HTTP/1.0', 'Host: a', 'Host: b')],
  ...['', 'a b', 'a/b', 'a@b', 'a:b', 'a:123456', '[::1', '::1', 'http://a', 'a?b', 'a"', `${'a'.repeat(261)}`].map(
    (host): [string, number, string] => [
      `the Host "${host.slice(0, 20)}"`,
      400,
      head('GET / HTTP/1.1', `Host: ${host}`),
    ],
  ),
  ['a line of HTTP/0.9', 505, 'GET /healthz\r\n\r\n'],
  ['HTTP/0.9 by name', 505, head('GET /healthz HTTP/0.9', 'Host: x')],
  ['HTTP/2.0', 505, head('GET /healthz HTTP/2.0', 'Host: x')],
  ['HTTP/3.0', 505, head('GET /healthz HTTP/3.0', 'Host: x')],
  ['an unknown expectation', 417, head('GET /healthz HTTP/1.1', 'Host: x', 'Expect: miracles')],
  ['two expectations', 417, head('GET /healthz HTTP/1.1', 'Host: x', 'Expect: 100-continue, miracles')],
  ['CONNECT', 501, head('CONNECT example.com:443 HTTP/1.1', 'Host: example.com:443')],
  ['a folded header', 400, head('GET /healthz HTTP/1.1', 'Host: x', 'X-Folded: a', ' b')],
  ['white space before a colon', 400, head('GET /healthz HTTP/1.1', 'Host: x', 'X-Space : a')],
  [
    'two Content-Lengths',
    400,
    `${head('POST /api/log-in HTTP/1.1', 'Host: x', 'Content-Length: 2', 'Content-Length: 3')}{} `,
  ],
  [
    'length and chunks',
    400,
    `${head('POST /api/log-in HTTP/1.1', 'Host: x', 'Content-Length: 2', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
  ],
  [
    'chunks in HTTP/1.0',
    400,
    `${head('POST /api/log-in HTTP/1.0', 'Host: x', 'Transfer-Encoding: chunked')}2\r\n{}\r\n0\r\n\r\n`,
  ],
  [
    'another transfer coding',
    501,
    `${head('POST /api/log-in HTTP/1.1', 'Host: x', 'Transfer-Encoding: gzip, chunked')}2\r\n{}\r\n0\r\n\r\n`,
  ],
  ['headers of 33 KiB', 431, head('GET /healthz HTTP/1.1', 'Host: x', `X-Large: ${'x'.repeat(33 * 1024)}`)],
  ['a path of 33 KiB', 431, head(`GET /${'x'.repeat(33 * 1024)} HTTP/1.1`, 'Host: x')],
]

// Paths of the API, of pages in their media types, and of files. `fetch` refuses to send TRACE.
const KNOWN_PATHS = [
  ...['/api/log-in', '/api/user-details', '/api/openapi.json', '/api/github-contributions', '/healthz', '/log-in'],
  ...['/', '/blog', '/blog.md', '/blog/', '/docs/account-api', '/openapi.json', '/feed.xml', '/contributions.svg'],
  ...['/uploads/0d2f8f63-51a7-4c1c-9d5e-7b0f3c1a2e44.webp', '/.well-known/jwks.json'],
]

const RESPONSES: [what: string, status: number, request: string][] = [
  ['HTTP/1.0 without Host', 200, head('GET /healthz HTTP/1.0')],
  ['an IPv6 Host', 200, head('GET /healthz HTTP/1.1', 'Host: [::1]:3000', 'Connection: close')],
  [
    'headers of 31 KiB',
    200,
    head('GET /healthz HTTP/1.1', 'Host: x', 'Connection: close', `X: ${'x'.repeat(31 * 1024)}`),
  ],
  ['a name with underscores', 200, head('GET /healthz HTTP/1.1', 'Host: x', 'X_Under: a', 'Connection: close')],
  ['an absolute address', 200, head('GET http://y/healthz HTTP/1.1', 'Host: x', 'Connection: close')],
  ['OPTIONS *', 405, head('OPTIONS * HTTP/1.1', 'Host: x', 'Connection: close')],
  ['OPTIONS of a route', 405, head('OPTIONS /api/log-in HTTP/1.1', 'Host: x', 'Connection: close')],
  ...['TRACE', 'PROPFIND', 'PUT'].flatMap((method) =>
    KNOWN_PATHS.map((path): [string, number, string] => [
      `${method} ${path}`,
      405,
      head(`${method} ${path} HTTP/1.1`, 'Host: x', 'Connection: close'),
    ]),
  ),
  [
    'an upgrade to HTTP/2',
    200,
    head(
      'GET /healthz HTTP/1.1',
      'Host: x',
      'Connection: close, Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA',
    ),
  ],
  [
    'an upgrade to a web socket',
    200,
    head('GET /healthz HTTP/1.1', 'Host: x', 'Connection: close, Upgrade', 'Upgrade: websocket'),
  ],
]

describe('the HTTP server, by RFC 9110 and 9112,', () => {
  onBothEngines((service) => {
    for (const [what, status, request] of REFUSED) {
      it(`refuses ${what} with ${status} in the envelope, and does not handle the bytes after it`, async () => {
        const text = await exchange(service, [request + LAST])
        assert.deepEqual(statusesIn(text), [status])
        assert.match(text, /^connection: close\r$/im)
        assert.match(text, /\{"success":false,.*"requestId":/)
      })
    }

    for (const [what, status, request] of RESPONSES) {
      it(`responds to ${what} with ${status}`, async () => {
        const response = await sendRaw(service, request)
        assert.equal(response.status, status)
        if (status === 405) assert.match(response.headers.get('allow') ?? '', /[A-Z]/)
      })
    }

    it('responds to the HTTP/2 preface with 505', async () => {
      assert.deepEqual(statusesIn(await exchange(service, ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'])), [505])
    })

    it('sends the response to a request before it refuses the bytes after that request', async () => {
      const { email } = await someone(service)
      for (const first of [HEALTH, posted('/api/log-in', { email, password: PASSWORD })]) {
        for (const [behind, status] of [
          ['nonsense\r\n\r\n', 400],
          [head('CONNECT a:1 HTTP/1.1', 'Host: a:1'), 501],
          [head('GET / HTTP/2.0', 'Host: x'), 505],
          [`${head('POST / HTTP/1.1', 'Host: x', 'Transfer-Encoding: chunked')}nonsense`, 400],
        ] as const) {
          assert.deepEqual(statusesIn(await exchange(service, [first + behind])), [200, status])
          assert.deepEqual(statusesIn(await exchange(service, [HEALTH + first + behind])), [200, 200, status])
        }
      }
    })

    it('responds to a client that ends its side after the request', async () => {
      const { email } = await someone(service)
      for (const request of [HEALTH, posted('/api/log-in', { email, password: PASSWORD })]) {
        assert.deepEqual(statusesIn(await exchange(service, [request], { halfClose: true })), [200])
        assert.deepEqual(statusesIn(await exchange(service, [request + HEALTH], { halfClose: true })), [200, 200])
      }
      const created = await exchange(service, [posted('/api/create-account', registration())], { halfClose: true })
      assert.deepEqual(statusesIn(created), [201])
      const cut = posted('/api/log-in', { email, password: PASSWORD }).slice(0, -1)
      assert.deepEqual(statusesIn(await exchange(service, [cut], { halfClose: true })), [400])
    })

    it('refuses a body of very many small chunks, and stops reading a body that no route needs', async () => {
      const chunked = (path: string) =>
        head(`POST ${path} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', 'Transfer-Encoding: chunked')
      const tiny = '1\r\n \r\n'
      assert.deepEqual(statusesIn(await exchange(service, [chunked('/api/log-in') + tiny.repeat(5_000)])), [413])
      assert.deepEqual(statusesIn(await exchange(service, [chunked('/api/nothing'), tiny.repeat(5_000)])), [404])
      const small = `${chunked('/api/log-in')}${tiny.repeat(900)}2\r\n{}\r\n0\r\n\r\n${LAST}`
      assert.deepEqual(statusesIn(await exchange(service, [small])), [400, 200])
    })

    it('closes the connection after a request with Upgrade, because bytes after it may be lost', async () => {
      const upgrade = head('GET /healthz HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: x')
      const text = await exchange(service, [upgrade + HEALTH])
      assert.deepEqual(statusesIn(text), [200])
      assert.match(text, /^connection: close\r$/im)
    })

    it('handles no request after a response that closes the connection', async () => {
      const email = newEmail()
      const tooLarge = head(
        'POST /api/log-in HTTP/1.1',
        'Host: x',
        'Content-Type: application/json',
        'Content-Length: 70000',
      )
      const closing = [head('GET / HTTP/1.1', 'Host: a b'), tooLarge + ' '.repeat(70_000)]
      for (const first of closing) {
        const text = await exchange(service, [first + posted('/api/create-account', registration({ email }))])
        assert.equal(statusesIn(text).length, 1)
      }
      assert.equal(await accountsOf(service, email), 0)
    })

    describe('with Expect: 100-continue', () => {
      const expecting = (path: string, length: number, ...lines: string[]) =>
        head(
          `POST ${path} HTTP/1.1`,
          'Host: x',
          'Expect: 100-continue',
          'Content-Type: application/json',
          `Content-Length: ${length}`,
          ...lines,
        )

      it('sends 100 when the body will be read', async () => {
        const person = await someone(service)
        const body = '{"bio":"Hello"}'
        const request = expecting('/api/user-details', body.length, ...asPerson(person), 'Connection: close') + body
        assert.deepEqual(statusesIn(await exchange(service, [request])), [100, 200])
      })

      it('sends the final status instead when it refuses the request, without reading the body', async () => {
        const person = await someone(service)
        const refused: [number, string][] = [
          [401, expecting('/api/user-details', 15)],
          [413, expecting('/api/user-details', 70_000, ...asPerson(person))],
          [413, expecting('/api/log-in', 70_000)],
          [415, expecting('/api/log-in', 15, 'Content-Encoding: gzip')],
          [400, expecting('/api/log-in', 15).replace('application/json', 'text/plain')],
          [404, expecting('/api/nothing', 15)],
          [405, expecting('/api/security-events', 15)],
        ]
        for (const [status, request] of refused) {
          assert.deepEqual(statusesIn(await exchange(service, [request])), [status], request)
        }
      })

      it('ignores the expectation in HTTP/1.0', async () => {
        const request = expecting('/api/log-in', 2).replace('HTTP/1.1', 'HTTP/1.0')
        assert.deepEqual(statusesIn(await exchange(service, [`${request}{}`])), [400])
      })
    })

    it('refuses a content coding with 415, and names the accepted coding', async () => {
      const person = await someone(service)
      const body = gzipSync('{"bio":"Hello"}')
      for (const coding of ['gzip', 'br', 'GZIP, identity', 'x']) {
        const lines = [
          'Host: x',
          'Content-Type: application/json',
          `Content-Length: ${body.length}`,
          'Connection: close',
        ]
        const all = [...lines, ...asPerson(person), `Content-Encoding: ${coding}`]
        const response = await sendRaw(service, head('POST /api/user-details HTTP/1.1', ...all), body)
        assertRefused(response, 415)
        assert.equal(response.headers.get('accept-encoding'), 'identity')
      }
      const plain = posted('/api/user-details', { bio: 'Hello' }, ...asPerson(person), 'Content-Encoding: identity')
      assert.deepEqual(statusesIn(await exchange(service, [plain + LAST])), [200, 200])
    })
  })
})

async function accountsOf({ portico }: Service, email: string): Promise<number> {
  const rows = await portico.database.query.selectFrom('users').select('id').where('email', '=', email).execute()
  return rows.length
}
