import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { CONNECTION_LIMITS, type ConnectionLimits } from '../../src/http/connections.ts'
import { tcpListener } from '../../src/http/listener.ts'
import { PrebuiltResponse } from '../../src/http/prebuilt-response.ts'
import type { Handler } from '../../src/http/routes.ts'
import { HttpServer } from '../../src/http/server.ts'
import { cleanUp } from '../support/clean-up.ts'
import { exchange, head, statusesIn } from '../support/raw-http.ts'
import { logTo } from '../support/service.ts'

const LIMITS_MS = { headersMs: 200, requestMs: 400, keepAliveMs: 300, writeMs: 200 }
const SHORT_LIMITS = { ...CONNECTION_LIMITS, ...LIMITS_MS, checkMs: 20, minBytesPerSecond: 1e9 }

/**
 * Limits of which only this one is short, so that no other can close the connection. Node requires the request timeout
 * to be at least the headers timeout.
 */
function only(limit: keyof typeof LIMITS_MS) {
  const others = { headersMs: limit === 'writeMs' ? 60_000 : LIMITS_MS[limit], requestMs: 60_000, keepAliveMs: 60_000 }
  return { ...SHORT_LIMITS, ...others, writeMs: 60_000, [limit]: LIMITS_MS[limit] }
}

async function serve(t: TestContext, routes: Record<string, Handler>, limits = CONNECTION_LIMITS) {
  const warnings: string[] = []
  const server = new HttpServer({
    defaultHeaders: {},
    log: logTo((line) => {
      const { level, message } = JSON.parse(line)
      if (level === 'warn') warnings.push(message)
    }),
    onNotFound: async () => {},
    ipOf: () => '',
    onError: (_error, _request, reply) => reply.code(400).send(''),
    connectionLimits: limits,
  })
  for (const [path, handle] of Object.entries(routes)) server.get(path, handle)
  server.route({ method: 'POST', path: '/', handle: () => 'read' })
  const url = await server.listen(tcpListener({ host: '127.0.0.1', port: 0 }))
  cleanUp(t, async () => {
    server.destroyConnections()
    await server.close()
  })
  return { url, server, warnings }
}

async function open({ url }: { url: string }, bytes = ''): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
  await once(socket, 'connect')
  socket.on('error', () => {})
  if (bytes) socket.write(bytes)
  return socket
}

async function connectionsOf({ server }: HttpServer): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  return promise
}

/** Writes again and again until the service closes the connection. */
async function dribble(socket: Socket, bytes: string): Promise<void> {
  while (!socket.closed && !socket.readableEnded) {
    if (socket.writable) socket.write(bytes)
    await setTimeout(20)
  }
}

const GET = head('GET / HTTP/1.1', 'Host: x')
const BODY = head('POST / HTTP/1.1', 'Host: x', 'Content-Type: application/json', 'Content-Length: 1000')
// The server reads neither a body that is too large nor one of another type.
const REFUSED = BODY.replace('1000', '100000')
const REST = 'x'.repeat(100_000)
const CHUNKED = head('POST / HTTP/1.1', 'Host: x', 'Content-Type: text/plain', 'Transfer-Encoding: chunked')
const closing = (request: string) => request.replace('Host: x', 'Host: x\r\nConnection: close')
// Far more than the kernel buffers for a client that does not read.
const LARGE = Buffer.alloc(32 * 1024 * 1024)
const CHUNK = Buffer.alloc(64 * 1024)

const sendLargeStream: Handler = (_request, reply) =>
  reply.sendStream(Readable.from(Array(LARGE.length / CHUNK.length).fill(CHUNK)), LARGE.length)

// Without its limit, each of these stays open for a minute: a failing test fails by this timeout.
describe('a connection is closed', { timeout: 50_000 }, () => {
  it('when all are closed, also after a CONNECT that waits for its turn', async (t) => {
    const large = 'x'.repeat(16 * 1024 * 1024)
    const { url, server } = await serve(t, { '/': () => large })
    const socket = await open({ url }, GET + head('CONNECT a:1 HTTP/1.1', 'Host: a:1'))
    socket.pause()
    const [count] = await Promise.all([connectionsOf(server), setTimeout(100)])
    assert.equal(count, 1)
    server.destroyConnections()
    while ((await connectionsOf(server)) > 0) await setTimeout(5)
    socket.destroy()
  })

  const cases: [what: string, limit: keyof typeof LIMITS_MS, first: string, bytes: string][] = [
    ['that sends nothing at all', 'headersMs', '', ''],
    ['that sends empty lines before its first request', 'headersMs', '', '\r\n'],
    ['that sends its headers slowly', 'headersMs', 'GET / HTTP/1.1\r\nX: ', 'x'],
    ['that sends the headers of a later request slowly', 'headersMs', `${GET}GET / HTTP/1.1\r\nX: `, 'x'],
    ['that sends its body slowly', 'requestMs', BODY, ' '],
    ['that is idle after a response', 'keepAliveMs', GET, ''],
    ['that sends empty lines after a response', 'keepAliveMs', GET, '\r\n'],
  ]
  for (const [what, limit, first, bytes] of cases) {
    it(what, async (t) => {
      const service = await serve(t, { '/': () => 'here' }, only(limit))
      const socket = await open(service, first)
      socket.resume()
      if (bytes) await dribble(socket, bytes)
      else await once(socket, 'end')
    })
  }

  // These clients never close their side. CONNECTION_LIMITS are longer than the timeout of a test.
  const slowly = only('requestMs')
  const refused: [what: string, limits: ConnectionLimits, first: string, bytes: string][] = [
    ['that sends the rest of a refused body slowly', slowly, REFUSED, 'x'],
    ['that sends the rest of a refused body slowly after the last response', slowly, closing(REFUSED), 'x'],
    ['that sends no chunk in a refused body', CONNECTION_LIMITS, closing(CHUNKED), 'no chunk'],
    ['that sends tiny chunks in a refused body', CONNECTION_LIMITS, closing(CHUNKED), '1\r\nx\r\n'.repeat(200)],
    ['whose refused body is complete', CONNECTION_LIMITS, closing(REFUSED), REST],
  ]
  for (const [what, limits, first, bytes] of refused) {
    it(what, async (t) => {
      const service = await serve(t, { '/': () => 'here' }, limits)
      const accepted = once(service.server.server, 'connection')
      const client = await open(service, first)
      const [[connection]] = await Promise.all([accepted, once(client, 'data')])
      while (!connection.closed) {
        if (bytes && client.writable) client.write(bytes)
        await setTimeout(20)
      }
      client.destroy()
    })
  }

  it('by a response that follows a refused body', async (t) => {
    const service = await serve(t, { '/': () => 'here' })
    const accepted = once(service.server.server, 'connection')
    const client = await open(service)
    const [connection] = await accepted
    for (const bytes of [REFUSED, REST + GET, closing(GET)]) {
      client.write(bytes)
      await once(client, 'data')
    }
    while (!connection.closed) await setTimeout(20)
    client.destroy()
  })

  it('whose client does not read a response', async (t) => {
    const service = await serve(t, { '/': () => LARGE }, only('writeMs'))
    const closed = once(service.server.server, 'connection').then(([socket]) => once(socket, 'close'))
    await open(service, GET)
    await closed
  })

  it('whose client does not read a stream', async (t) => {
    const service = await serve(t, { '/': sendLargeStream }, only('writeMs'))
    const closed = once(service.server.server, 'connection').then(([socket]) => once(socket, 'close'))
    await open(service, GET)
    await closed
  })

  const unread: [what: string, bytesEach: number, handle: Handler][] = [
    ['responses', LARGE.length, () => Buffer.from(LARGE)],
    // The buffers of a stream.
    ['streams', 128 * 1024, sendLargeStream],
  ]
  for (const [what, bytesEach, handle] of unread) {
    it(`when unread ${what} take too much memory, the oldest first`, async (t) => {
      const service = await serve(t, { '/': handle }, { ...CONNECTION_LIMITS, maxUnreadBytes: 2.5 * bytesEach })
      const clients: Socket[] = []
      for (let number = 0; number < 4; number++) {
        const client = await open(service, GET)
        await once(client, 'readable')
        clients.push(client)
      }
      assert.equal(await connectionsOf(service.server), 2)
      for (const client of clients.slice(0, 2)) assert.ok((await text(client).catch(() => '')).length < LARGE.length)
      assert.deepEqual(service.warnings, ['closed 1 connection: too many unread responses were in memory'])
      for (const client of clients) client.destroy()
    })
  }

  it('whose client sends request after request and reads no response', async (t) => {
    let handled = 0
    const limits = { ...only('writeMs'), maxPipelined: 20_000 }
    const service = await serve(t, { '/': () => `${handled++}${'x'.repeat(20_000)}` }, limits)
    const closed = once(service.server.server, 'connection').then(([socket]) => once(socket, 'close'))
    await open(service, GET.repeat(20_000))
    await closed
    assert.ok(handled < 2000, `${handled} were handled`)
  })

  it('whose client pipelines too many requests', async (t) => {
    const { promise, resolve } = Promise.withResolvers<string>()
    let handled = 0
    const handle = () => {
      handled++
      return promise
    }
    const service = await serve(t, { '/': handle }, only('writeMs'))
    cleanUp(t, () => resolve('at last'))
    const socket = await open(service, GET.repeat(102))
    assert.equal(await text(socket).catch(() => ''), '')
    assert.equal(handled, 1)
  })
})

// Limits that a starved client does not reach between two steps. Together they are shorter than each test.
const LONG_LIMIT_MS = 1500
const TEST_MS = 3 * LONG_LIMIT_MS
const LONG_LIMITS = {
  ...SHORT_LIMITS,
  headersMs: LONG_LIMIT_MS,
  requestMs: LONG_LIMIT_MS,
  keepAliveMs: LONG_LIMIT_MS,
  writeMs: LONG_LIMIT_MS,
}

describe('a connection is kept', () => {
  it('while many clients do not read the same content in memory', async (t) => {
    const prebuilt = new PrebuiltResponse(200, {}, LARGE)
    const limits = { ...CONNECTION_LIMITS, maxUnreadBytes: 1.5 * LARGE.length }
    const routes: Record<string, Handler> = {
      '/': (_request, reply) => reply.sendPrebuilt(prebuilt),
      '/changed': (_request, reply) => reply.header('x-changed', 'yes').sendPrebuilt(prebuilt),
    }
    const service = await serve(t, routes, limits)
    for (const request of [GET, GET, GET.replace('/', '/changed'), GET.replace('/', '/changed')]) {
      const client = await open(service, request)
      await once(client, 'readable')
    }
    assert.equal(await connectionsOf(service.server), 4)
  })

  it('while streams begin whose clients have reset their connections', async (t) => {
    const bytesEach = 128 * 1024
    const begun: Promise<unknown>[] = []
    const afterReset: Handler = (request, reply) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      request.raw.socket.once('close', () => resolve())
      const sent = promise.then(() => sendLargeStream(request, reply))
      begun.push(sent)
      return sent
    }
    const limits = { ...CONNECTION_LIMITS, maxUnreadBytes: 1.5 * bytesEach }
    const service = await serve(t, { '/': sendLargeStream, '/reset': afterReset }, limits)
    const client = await open(service, GET)
    await once(client, 'readable')
    for (let number = 0; number < 3; number++) {
      const resetting = await open(service, GET.replace('/', '/reset'))
      while (begun.length <= number) await setTimeout(5)
      resetting.resetAndDestroy()
      await begun[number]
    }
    assert.deepEqual(service.warnings, [])
    assert.equal(await connectionsOf(service.server), 1)
    client.destroy()
  })

  it('while a request is handled', async (t) => {
    const service = await serve(t, { '/': () => setTimeout(TEST_MS, 'late') }, LONG_LIMITS)
    const bytes = await exchange(service, [head('GET / HTTP/1.1', 'Host: x', 'Connection: close')])
    assert.match(bytes, /late$/)
  })

  it('as long as its client sends further requests', async (t) => {
    const service = await serve(t, { '/': () => 'here' }, LONG_LIMITS)
    const socket = await open(service)
    socket.setEncoding('latin1')
    const end = performance.now() + TEST_MS
    while (performance.now() < end) {
      socket.write(GET)
      const [bytes] = await once(socket, 'data')
      assert.match(bytes, /here$/)
      await setTimeout(100)
    }
    socket.destroy()
  })
})

describe('pipelined requests', () => {
  it('get their responses in order, one after the other', async (t) => {
    let busy = 0
    const service = await serve(t, {
      '/': async () => {
        assert.equal(++busy, 1)
        await setTimeout(5)
        busy--
        return 'slow'
      },
      '/fast': () => 'fast',
    })
    const fast = GET.replace('/', '/fast')
    const last = head('GET / HTTP/1.1', 'Host: x', 'Connection: close')
    const bytes = await exchange(service, [GET + fast + fast + GET + fast + last])
    assert.deepEqual(statusesIn(bytes), Array(6).fill(200))
    assert.deepEqual(bytes.match(/slow|fast/g), ['slow', 'fast', 'fast', 'slow', 'fast', 'slow'])
  })

  it('are not handled after a response that closes the connection', async (t) => {
    const paths: string[] = []
    const service = await serve(t, {
      '/': ({ path }, reply) => {
        paths.push(path)
        reply.header('connection', 'close')
        return 'the last'
      },
      '/next': ({ path }) => paths.push(path),
    })
    const next = head('GET /next HTTP/1.1', 'Host: x')
    assert.deepEqual(statusesIn(await exchange(service, [GET + next + next])), [200])
    assert.deepEqual(statusesIn(await exchange(service, [next + GET + next])), [200, 200])
    assert.deepEqual(paths, ['/', '/next', '/'])
  })
})
