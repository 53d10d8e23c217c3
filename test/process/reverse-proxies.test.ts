import assert from 'node:assert/strict'
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { before, describe, it } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { gunzipSync } from 'node:zlib'
import { someone } from '../support/accounts.ts'
import type { Person } from '../support/api.ts'
import { type CleanedUp, cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { filePart, WIRE_FORM, wireForm } from '../support/hostile-input.ts'
import { pictureOf } from '../support/pictures.ts'
import { type ProxyName, type RunningProxy, startProxy } from '../support/proxies.ts'
import { WRONG_PASSWORD } from '../support/rate-limits.ts'
import { type Service, startService } from '../support/service.ts'

const BASE_URL = 'https://portico.example'
const MAX_FILE_BYTES = 5 * 1024 * 1024
const PROXIES: ProxyName[] = ['nginx', 'caddy']

type Send = (path: string, headers?: Record<string, string>, body?: Buffer | string) => Promise<ProxiedResponse>

interface ProxiedResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

/** A client with this loopback address that speaks HTTP/2 over TLS with the proxy. A request with a body is a POST. */
function clientAt(test: CleanedUp, { url, certificate }: RunningProxy, localAddress: string): Send {
  const session = connectHttp2(url, {
    createConnection: ({ hostname, port }) =>
      connectTls({
        host: hostname,
        socket: connectTcp({ host: hostname, port: Number(port), localAddress }),
        ca: certificate ?? [],
        ALPNProtocols: ['h2'],
      }),
  })
  cleanUp(test, () => session.destroy())
  return async (path, headers = {}, body) => {
    const stream = session.request({ ':path': path, ':method': body === undefined ? 'GET' : 'POST', ...headers })
    const { promise, resolve, reject } = Promise.withResolvers<ProxiedResponse['headers']>()
    stream.on('response', resolve).on('error', reject).end(body)
    const received = await promise
    return { status: Number(received[':status']), headers: received, body: await buffer(stream) }
  }
}

describe('behind a proxy with TLS and HTTP/2', () => {
  const suite = suiteCleanUp()
  const settings = { BASE_URL, TRUSTED_PROXIES: '127.0.0.1', RATE_LIMITS: 'on', RATE_LIMIT_LOGIN: '2/1m' }
  let service: Service
  let person: Person
  before(async () => {
    service = await startService('sqlite', settings)
    cleanUp(suite, () => service.close())
    person = await someone(service)
  })

  for (const [number, name] of PROXIES.entries()) {
    describe(name, () => {
      const own = suiteCleanUp()
      let proxy: RunningProxy
      let send: Send
      before(async () => {
        const port = Number(new URL(service.url).port)
        proxy = await startProxy(own, name, [port, port])
        send = clientAt(own, proxy, `127.0.0.${10 + number}`)
      })

      it('limits count the address of the client, whatever addresses it claims to forward', async () => {
        const attempt = (client: Send, claimed: string) =>
          client(
            '/api/log-in',
            { 'content-type': 'application/json', 'x-forwarded-for': claimed, 'x-real-ip': claimed },
            JSON.stringify({ email: person.email, password: WRONG_PASSWORD }),
          )
        const statuses: number[] = []
        for (const claimed of ['192.0.2.1', '192.0.2.2', '127.0.0.1, 192.0.2.3']) {
          statuses.push((await attempt(send, claimed)).status)
        }
        assert.deepEqual(statuses, [401, 401, 429])
        const other = clientAt(own, proxy, `127.0.0.${20 + number}`)
        assert.equal((await attempt(other, '192.0.2.1')).status, 401)
      })

      it('responses are compressed once, and a copy is validated by its ETag', async () => {
        const plain = await send('/log-in')
        assert.deepEqual([plain.status, plain.headers['content-encoding']], [200, undefined])
        const style = /href="(\/assets\/[^"]+\.css)"/.exec(plain.body.toString())?.[1] ?? ''
        const original = await send(style)
        const zipped = await send(style, { 'accept-encoding': 'gzip' })
        assert.deepEqual(
          [original.headers['content-encoding'], zipped.headers['content-encoding']],
          [undefined, 'gzip'],
        )
        assert.deepEqual(gunzipSync(zipped.body), original.body)
        const etag = String(zipped.headers.etag)
        const again = await send(style, { 'accept-encoding': 'gzip', 'if-none-match': etag })
        assert.deepEqual([again.status, again.headers.etag, again.body.length], [304, etag, 0])
        assert.equal((await send(style, { 'if-none-match': '"other"' })).status, 200)
      })

      it('the largest upload passes, and a larger one is refused by Portico', async () => {
        const upload = async (bytes: number) => {
          const { status, body } = await send(
            '/api/uploads',
            { ...WIRE_FORM, authorization: `Bearer ${person.accessToken}`, 'x-session-id': person.sessionId },
            wireForm(filePart(await pictureOf(bytes))),
          )
          return [status, JSON.parse(body.toString()).code]
        }
        assert.deepEqual(await upload(MAX_FILE_BYTES), [201, undefined])
        assert.deepEqual(await upload(MAX_FILE_BYTES + 20_000), [413, 'body_too_large'])
      })

      it('a browser gets a Secure cookie and is signed in with it', async () => {
        const form = new URLSearchParams({ form: 'log-in', email: person.email, password: person.password })
        const headers = { origin: BASE_URL, 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }
        const visitor = clientAt(own, proxy, `127.0.0.${30 + number}`)
        const { status, headers: received } = await visitor('/log-in', headers, form.toString())
        const [line = ''] = [received['set-cookie'] ?? []].flat()
        assert.equal(status, 303)
        assert.match(line, /^__Host-portico_session=.*; Secure/)
        assert.equal(received['strict-transport-security'], 'max-age=31536000; includeSubDomains')
        const account = await visitor('/account', { cookie: line.split(';')[0] ?? '', accept: 'text/html' })
        assert.equal(account.status, 200)
      })
    })
  }
})
