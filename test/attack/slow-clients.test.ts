import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { someone } from '../support/accounts.ts'
import { assertSucceeded, get, logIn } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startService } from '../support/service.ts'

const CLIENTS = 1000

/** A client that has begun to send its headers and never ends. */
async function slowClient({ url }: { url: string }): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write('GET /api/user-details HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
  return socket
}

describe(`${CLIENTS} clients that never finish their request`, () => {
  it('do not delay other clients, and are disconnected after ten seconds', async (t) => {
    const service = await startService('sqlite')
    cleanUp(t, () => service.close())
    const person = await someone(service)
    const sockets = await Promise.all(Array.from({ length: CLIENTS }, () => slowClient(service)))
    const begun = performance.now()
    let over = 0
    const ends = sockets.map((socket) => text(socket).finally(() => over++))

    assertSucceeded(await get(service, '/api/user-details', { as: person }))
    assertSucceeded(await get(service, '/api/user-details', { as: await logIn(service, person) }))
    assert.ok(over < CLIENTS, 'others were served after the slow ones')

    for (const response of await Promise.all(ends)) assert.match(response, /^HTTP\/1\.1 408 .*"Request took too long"/s)
    const openMs = performance.now() - begun
    // A whole request has thirty seconds.
    assert.ok(openMs > 8_000 && openMs < 28_000, `they were held for ${openMs} ms`)
  })
})
