import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { setInterval } from 'node:timers/promises'
import { get } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { head } from '../support/raw-http.ts'
import { startService } from '../support/service.ts'

const REQUEST = head('GET /healthz HTTP/1.1', 'Host: x')
const MAX_OPEN_MS = 90_000

/** Milliseconds until the service closes a connection on which these bytes are sent every second. */
async function millisecondsUntilClosed(
  { url }: { url: string },
  first: string,
  bytes: string,
  isRead: boolean,
): Promise<number> {
  const socket: Socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  const begun = performance.now()
  socket.on('error', () => {})
  if (isRead) socket.resume()
  socket.write(first)
  for await (const _ of setInterval(1000)) {
    if (socket.closed || performance.now() - begun > MAX_OPEN_MS) break
    if (socket.writable) socket.write(bytes)
  }
  socket.destroy()
  return performance.now() - begun
}

describe('connections of a real service', () => {
  it('are closed within their limits, however slowly their clients send', { timeout: 2 * MAX_OPEN_MS }, async (t) => {
    const service = await startService('sqlite')
    cleanUp(t, () => service.close())
    const durations = await Promise.all([
      millisecondsUntilClosed(service, REQUEST, '\r\n', true),
      millisecondsUntilClosed(service, head('GET / HTTP/1.1', 'Host: x').repeat(20_000), '\r\n', false),
      millisecondsUntilClosed(service, head('GET / HTTP/1.1', 'Host: x').repeat(90), '\r\n', false),
    ])
    for (const milliseconds of durations) assert.ok(milliseconds < MAX_OPEN_MS, `held for ${milliseconds} ms`)
    assert.equal((await get(service, '/healthz')).status, 200)
  })
})
