import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { tcpListener } from '../../src/http/listener.ts'
import { PrebuiltResponse } from '../../src/http/prebuilt-response.ts'
import type { Handler } from '../../src/http/routes.ts'
import { HttpServer } from '../../src/http/server.ts'
import { cleanUp } from '../support/clean-up.ts'
import { logTo } from '../support/service.ts'

const DEFAULT_HEADERS = { 'x-frame-options': 'DENY', vary: 'Origin' }

/** A server of these routes. The response to each error is its message. */
async function serve(t: TestContext, routes: Record<string, Handler>, onError?: () => never) {
  const lines: string[] = []
  const server = new HttpServer({
    defaultHeaders: DEFAULT_HEADERS,
    log: logTo((line) => lines.push(line)),
    onNotFound: async () => {},
    ipOf: () => '203.0.113.9',
    onError: onError ?? ((error, _request, reply) => reply.code(418).send({ said: (error as Error).message })),
  })
  for (const [path, handle] of Object.entries(routes)) server.get(path, handle)
  const url = await server.listen(tcpListener({ host: '127.0.0.1', port: 0 }))
  cleanUp(t, () => server.close())
  return { url, lines, server }
}

describe('the server', () => {
  it('responds with an error to a result that cannot be serialized, with all its headers', async (t) => {
    const { url } = await serve(t, { '/big': () => ({ number: 1n }) })
    const response = await fetch(`${url}/big`)
    assert.equal(response.status, 418)
    assert.match(await response.text(), /BigInt/)
    assert.equal(response.headers.get('x-frame-options'), 'DENY')
    assert.match(response.headers.get('x-request-id') ?? '', /^[\da-f-]{36}$/)
  })

  it('responds with 500 in the envelope when the error handler fails too, and only logs the reason', async (t) => {
    const fail = () => {
      throw new Error('the inside of the house')
    }
    const { url, lines } = await serve(t, { '/': fail }, fail)
    const response = await fetch(url)
    assert.equal(response.status, 500)
    const { success, message, requestId } = (await response.json()) as Record<string, unknown>
    assert.deepEqual([success, message], [false, 'Internal server error'])
    assert.equal(requestId, response.headers.get('x-request-id'))
    assert.ok(lines.some((line) => line.includes('the inside of the house')))
  })

  it("logs a request with its client's address and at most 500 characters of its path", async (t) => {
    const { url, lines } = await serve(t, { '/': () => 'here' })
    await fetch(`${url}/?secret=1`)
    await fetch(`${url}/${'x'.repeat(20_000)}`)
    const [first, second] = lines.map((line) => JSON.parse(line))
    assert.deepEqual([first.ip, first.method, first.path, first.status], ['203.0.113.9', 'GET', '/', 200])
    assert.equal(second.path.length, 500)
  })

  it('treats no path as the pattern of others', async (t) => {
    const { url } = await serve(t, { '/things/*': () => 'thing', '/here': () => 'here' })
    assert.equal(await (await fetch(`${url}/things/one`)).text(), 'thing')
    assert.equal((await fetch(`${url}/things/*`, { method: 'DELETE' })).status, 418)
    assert.equal((await fetch(`${url}/things/one/more`)).status, 418)
    assert.equal(await (await fetch(`${url}/%68ere`)).text(), 'here')
  })

  it('treats a request without body headers as complete, and parses the next bytes as the next request', async (t) => {
    const { url, server } = await serve(t, { '/next': () => 'next' })
    server.route({ method: 'POST', path: '/', handle: ({ body }) => `nothing: ${body === undefined}. ` })
    const both = ['POST / HTTP/1.1\r\nhost: a\r\n\r\n', 'GET /next HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n']
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(both.join('')))
    const bodies = (await text(socket)).split('HTTP/1.1 200 OK').map((response) => response.split('\r\n\r\n')[1] ?? '')
    assert.deepEqual(bodies, ['', 'nothing: true. ', 'next'])
  })

  it('sends every character unchanged, of one byte or more', async (t) => {
    const words = ['plain', 'naïve', '\u00ff', 'Ωμέγα', '👋']
    const { url } = await serve(t, { '/json': () => words, '/text': () => words.join(' ') })
    assert.deepEqual(await (await fetch(`${url}/json`)).json(), words)
    assert.equal(await (await fetch(`${url}/text`)).text(), words.join(' '))
  })

  for (const size of [0, 1, 1000, 100_000]) {
    it(`sends a prepared response of ${size} bytes to each client, with an id of its own`, async (t) => {
      const bytes = Buffer.from(Array.from({ length: size }, (_, index) => index % 256))
      const ready = new PrebuiltResponse(203, { vary: 'Accept', etag: '"it"' }, bytes)
      const { url } = await serve(t, {
        '/plain': (_request, reply) => reply.sendPrebuilt(ready),
        '/more': (_request, reply) => reply.vary('Cookie').sendPrebuilt(ready),
      })
      const ids = new Set()
      for (const path of ['/plain', '/more', '/plain']) {
        const response = await fetch(url + path)
        const { headers } = response
        assert.equal(response.status, 203)
        assert.deepEqual(Buffer.from(await response.arrayBuffer()), bytes)
        assert.equal(headers.get('content-length'), String(size))
        assert.equal(headers.get('vary'), path === '/more' ? 'Origin, Cookie, Accept' : 'Origin, Accept')
        assert.equal(headers.get('x-frame-options'), 'DENY')
        assert.equal(headers.get('connection'), 'keep-alive')
        ids.add(headers.get('x-request-id'))
      }
      assert.equal(ids.size, 3)
    })
  }

  it('sends the head of a prepared response once, with one line for each header', async (t) => {
    const ok = new PrebuiltResponse(200, { etag: '"it"', 'content-type': 'text/plain' }, Buffer.from('body'))
    const notModified = new PrebuiltResponse(304, { etag: '"it"' })
    const { url } = await serve(t, {
      '/ok': (_request, reply) => reply.sendPrebuilt(ok),
      '/not-modified': (_request, reply) => reply.sendPrebuilt(notModified),
    })
    for (const [line, body] of [
      ['GET /ok', 'body'],
      ['HEAD /ok', ''],
      ['GET /not-modified', ''],
    ]) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.write(`${line} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)
      const [head = '', sent] = (await text(socket)).split('\r\n\r\n')
      const names = head
        .split('\r\n')
        .slice(1)
        .map((header) => header.split(':')[0]?.toLowerCase())
      assert.deepEqual(names, [...new Set(names)], `${line}: a header is sent twice`)
      const isModified = line !== 'GET /not-modified'
      const framing = isModified ? ['content-type', 'content-length'] : []
      assert.deepEqual(
        names.toSorted(),
        ['connection', 'date', 'etag', 'vary', 'x-frame-options', 'x-request-id', ...framing].toSorted(),
      )
      assert.equal(sent, body)
    }
  })

  for (const [name, value] of [
    ['x-a', 'b\r\nset-cookie: c=d'],
    ['x-a\r\nset-cookie', 'c=d'],
    ['transfer-encoding', 'chunked'],
    ['Content-Length', '1'],
  ] as const) {
    it(`refuses to prepare the header ${JSON.stringify(name)}: ${JSON.stringify(value)}`, async (t) => {
      const prepared = new PrebuiltResponse(200, { [name]: value }, Buffer.from('body'))
      const { url } = await serve(t, { '/': (_request, reply) => reply.sendPrebuilt(prepared) })
      const response = await fetch(url)
      assert.equal(response.status, 418)
      assert.equal(response.headers.get('set-cookie'), null)
      assert.notEqual(await response.text(), 'body')
    })
  }

  it('serves the connections in the accept queue when it is closed', async (t) => {
    const { url, server } = await serve(t, { '/': () => 'handled' })
    const port = Number(new URL(url).port)
    const responses = Array.from({ length: 50 }, () => {
      const socket = connect(port, '127.0.0.1')
      socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
      return text(socket)
    })
    const closed = server.close(60_000)
    for (const response of await Promise.all(responses)) assert.match(response, /^HTTP\/1\.1 200 .*handled$/s)
    await closed
  })

  it('serves a request on a keep-alive connection after the listener is closed, as the last one', async (t) => {
    const { url, server } = await serve(t, { '/': () => 'handled' })
    const port = Number(new URL(url).port)
    const kept = connect(port, '127.0.0.1')
    kept.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
    const [first] = await once(kept, 'data')
    assert.match(String(first), /connection: keep-alive/i)

    const closed = server.close(60_000)
    const isRefused = () => {
      const socket = connect(port, '127.0.0.1')
      const refused = once(socket, 'connect').then(
        () => false,
        () => true,
      )
      return refused.finally(() => socket.destroy())
    }
    while (!(await isRefused()));
    kept.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
    assert.match(await text(kept), /^HTTP\/1\.1 200 .*connection: close.*handled$/is)
    await closed
  })

  it('closes idle connections at their timeout', async (t) => {
    const { url, server } = await serve(t, { '/': () => 'handled' })
    const kept = connect(Number(new URL(url).port), '127.0.0.1')
    kept.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
    await once(kept, 'data')
    const began = performance.now()
    const end = once(kept.resume(), 'end')
    await server.close(200)
    await end
    assert.ok(performance.now() - began >= 195)
  })
})
