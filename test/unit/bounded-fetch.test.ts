import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { boundedFetch } from '../../src/lib/bounded-fetch.ts'
import { cleanUp } from '../support/clean-up.ts'

const RESPONSE = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** A server that calls the function for each request, with the number of the request. */
async function startServer(t: TestContext, respond: (socket: Socket, number: number) => void): Promise<string> {
  let count = 0
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', () => respond(socket, ++count))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  cleanUp(t, () => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const closings: [how: string, close: (socket: Socket) => void][] = [
  ['closed', (socket) => socket.end()],
  ['reset', (socket) => socket.resetAndDestroy()],
]

for (const [how, close] of closings) {
  describe(`a connection that is ${how} before the response`, () => {
    it('is replaced for a GET', async (t) => {
      const url = await startServer(t, (socket, number) => (number === 1 ? close(socket) : socket.end(RESPONSE)))
      assert.equal(await (await boundedFetch(url, {})).text(), 'ok')
    })

    for (const [what, method, expected] of [
      ['fails a GET when the second one is too', 'GET', [1, 2]],
      ['fails a POST, which is not sent again', 'POST', [1]],
    ] as const) {
      it(what, async (t) => {
        const numbers: number[] = []
        const url = await startServer(t, (socket, number) => {
          numbers.push(number)
          close(socket)
        })
        await assert.rejects(boundedFetch(url, { method }), TypeError)
        assert.deepEqual(numbers, expected)
      })
    }
  })
}

describe('a request that is aborted', () => {
  it('is not sent again', async (t) => {
    const aborted = new AbortController()
    let count = 0
    const url = await startServer(t, () => {
      count += 1
      aborted.abort()
    })
    await assert.rejects(boundedFetch(url, { signal: aborted.signal }), { name: 'AbortError' })
    assert.equal(count, 1)
  })
})
