import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { assertSucceeded, get, PASSWORD, post } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startSmtpSink } from '../support/mail.ts'
import { report } from '../support/measuring.ts'
import { startQuiet } from '../support/process.ts'
import { temporaryDatabase } from '../support/service.ts'
import { createKeptAccount } from './account-runs.ts'

const CONNECTIONS_OF_EACH_KIND = 200
const POST = 'POST /api/log-in HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n'

/** The first bytes of a connection, and the bytes sent every second from then on. */
const KINDS: [what: string, first: string, then: string][] = [
  ['say nothing', '', ''],
  ['never end their headers', 'GET / HTTP/1.1\r\nHost: x\r\n', 'X-More: x\r\n'],
  ['never end their body', `${POST}{"email":"`, 'x'],
  ['never read their responses', 'GET /llms-full.txt HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200), ''],
  [
    'ask again and again, slowly',
    'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
  ],
]

/** A connection that the client keeps until the service closes it. */
async function openSlowConnection(url: string, first: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  // The client never reads.
  socket.pause().write(first)
  return socket
}

describe('a thousand slow connections', () => {
  it('do not delay other clients', async (t) => {
    const env = await temporaryDatabase(t, 'sqlite')
    const sink = await startSmtpSink()
    cleanUp(t, () => sink.down())
    const portico = await startQuiet(t, { ...env, SMTP_URL: sink.url })
    const person = await createKeptAccount(portico, sink)
    const serve = async () => {
      const began = performance.now()
      assertSucceeded(await get(portico, '/api/user-details', { as: person }))
      assertSucceeded(await post(portico, '/api/user-details', { bio: 'still here' }, { as: person }))
      assertSucceeded(await post(portico, '/api/log-in', { email: person.email, password: PASSWORD }))
      assert.equal((await get(portico, '/feed.xml')).status, 200)
      return performance.now() - began
    }
    const usual = Math.max(await serve(), await serve(), await serve())

    const slow: { socket: Socket; then: string }[] = []
    cleanUp(t, () => slow.forEach(({ socket }) => void socket.destroy()))
    for (const [what, first, then] of KINDS) {
      for (let number = 0; number < CONNECTIONS_OF_EACH_KIND; number++)
        slow.push({ socket: await openSlowConnection(portico.url, first), then })
      report(`${slow.length} connections, of which ${CONNECTIONS_OF_EACH_KIND} ${what}`)
    }
    let slowest = 0
    for (let second = 0; second < 20; second++) {
      for (const { socket, then } of slow) if (then && socket.writable) socket.write(then)
      slowest = Math.max(slowest, await serve())
      await setTimeout(1000)
    }
    report(`the four requests took ${Math.round(usual)} ms before, and ${Math.round(slowest)} ms at most`)
    assert.ok(slowest < 3 * usual + 1000, `others waited for ${slowest} ms instead of ${usual} ms`)
    assert.equal(portico.child.exitCode, null)
  })
})
