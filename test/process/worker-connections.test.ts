import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { before, describe, it } from 'node:test'
import { CONNECTION_LIMITS } from '../../src/http/connections.ts'
import { suiteCleanUp } from '../support/clean-up.ts'
import { type PorticoProcess, startReady } from '../support/process.ts'
import { exchange, head, statusesIn } from '../support/raw-http.ts'
import { temporaryDatabase } from '../support/service.ts'

const REQUEST = head('GET /healthz HTTP/1.1', 'Host: localhost', 'Connection: close')
const CONNECTIONS = 20

async function open({ url }: PorticoProcess): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' })
  await once(socket, 'connect')
  return socket
}

describe('a connection to a service with two workers', () => {
  const suite = suiteCleanUp()
  let portico: PorticoProcess

  before(async () => {
    portico = await startReady(suite, { ...(await temporaryDatabase(suite, 'sqlite')), WORKERS: '2' })
    await portico.logged('2: ● Listening on')
  })

  it('that a client half-closes after its request still carries the response', async () => {
    const body = JSON.stringify({ email: 'nobody@example.com', password: 'Wrong-Horse-7' })
    const lines = ['Host: localhost', 'Content-Type: application/json', `Content-Length: ${body.length}`]
    const request = head('POST /api/log-in HTTP/1.1', ...lines) + body
    assert.deepEqual(statusesIn(await exchange(portico, [request], { halfClose: true })), [401])
  })

  it('that was sent to a worker which is killed is served by the other worker', async () => {
    const [, pid] = /worker 2 is process (\d+)/.exec(portico.output()) ?? []
    process.kill(Number(pid), 'SIGSTOP')
    // The workers get connections in turn. Worker 2 has not read its own.
    const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(portico)))
    for (const socket of sockets) socket.write(REQUEST)
    const responses = sockets.map((socket) => text(socket))
    const served = Promise.withResolvers<void>()
    let count = 0
    for (const response of responses) void response.then(() => ++count === CONNECTIONS - 1 && served.resolve())
    await served.promise
    process.kill(Number(pid), 'SIGKILL')
    assert.deepEqual((await Promise.all(responses)).flatMap(statusesIn), Array(CONNECTIONS).fill(200))
    await portico.logged('3: ● Listening on')
  })

  it('that was opened before both workers stop is served', async () => {
    // The kernel opens connections for a primary process that is stopped, and keeps them in the accept queue.
    process.kill(portico.child.pid ?? 0, 'SIGSTOP')
    const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(portico)))
    for (const socket of sockets) socket.write(REQUEST)
    const responses = Promise.all(sockets.map((socket) => text(socket)))
    for (const worker of [1, 3]) {
      const [, pid] = new RegExp(`worker ${worker} is process (\\d+)`).exec(portico.output()) ?? []
      process.kill(Number(pid), 'SIGTERM')
    }
    for (const worker of [1, 3]) await portico.logged(`${worker}: ● SIGTERM: finishing what is under way`)
    process.kill(portico.child.pid ?? 0, 'SIGCONT')
    assert.deepEqual((await responses).flatMap(statusesIn), Array(CONNECTIONS).fill(200))
    for (const worker of [4, 5]) await portico.logged(`${worker}: ● Listening on`)
    assert.deepEqual(statusesIn(await exchange(portico, [REQUEST])), [200])
  })

  it('whose request head does not end is refused after the timeout', async () => {
    const socket = await open(portico)
    const start = performance.now()
    socket.write('GET /healthz HTTP/1.1\r\n')
    assert.deepEqual(statusesIn(await text(socket)), [408])
    assert.ok(performance.now() - start >= CONNECTION_LIMITS.headersMs)
  })
})
