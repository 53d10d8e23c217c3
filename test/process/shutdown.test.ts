import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { json, text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import {
  type ApiResponse,
  assertRefused,
  assertSucceeded,
  get,
  newEmail,
  PASSWORD,
  post,
  registration,
} from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startSmtpSink } from '../support/mail.ts'
import { type PorticoProcess, readDatabase, signUpAt, startProcess, startReady } from '../support/process.ts'
import { ENGINES, type EngineName, temporaryDatabase } from '../support/service.ts'

async function emptyDatabase(t: TestContext, engine: EngineName): Promise<Record<string, string>> {
  return { BASE_URL: 'http://localhost:3000', ...(await temporaryDatabase(t, engine)) }
}

/** A request whose head has arrived: the server waits for its body, which `finish` sends. */
async function beginLogIn(portico: PorticoProcess, { email, password }: { email: string; password: string }) {
  const body = JSON.stringify({ email, password })
  const call = request(`${portico.url}/api/log-in`, {
    method: 'POST',
    // Keeps the connection after the response, as browsers and proxies do.
    agent: new Agent({ keepAlive: true }),
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), expect: '100-continue' },
  })
  call.on('error', () => {}).flushHeaders()
  await once(call, 'continue')
  return async function finish(): Promise<ApiResponse> {
    call.end(body)
    const [response]: IncomingMessage[] = await once(call, 'response')
    assert.ok(response)
    const headers = new Headers(response.headers as Record<string, string>)
    return { status: response.statusCode ?? 0, headers, body: await json(response) }
  }
}

/** A GET whose first lines have arrived. `finish` sends the last one and reads to the end. */
async function beginGet({ url }: PorticoProcess, path: string) {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' })
  socket.on('error', () => {})
  // The response to a complete request shows that the part after it has arrived too.
  socket.write(`GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET ${path} HTTP/1.1\r\nHost: localhost\r\n`)
  await once(socket, 'data')
  return function finish(): Promise<string> {
    socket.write('Connection: close\r\n\r\n')
    return text(socket)
  }
}

describe('a shutdown', () => {
  for (const engine of ENGINES) {
    it(`sends the responses of all requests in flight, then exits with 0, on ${engine}`, async (t) => {
      const env = await emptyDatabase(t, engine)
      const portico = await startReady(t, env)
      const person = await signUpAt(portico)
      const finishLogIn = await beginLogIn(portico, person)
      const finishReady = await beginGet(portico, '/readyz')
      const finishDetails = await beginGet(portico, '/api/user-details')

      const end = portico.stop()
      await portico.logged('finishing what is under way')
      assert.match(await finishReady(), /^HTTP\/1\.1 503 .*\r\n\r\n\{"status":"draining"\}$/s)
      assert.match(await finishDetails(), /^HTTP\/1\.1 401 .*"message":"Authentication required"/s)
      const response = await finishLogIn()
      assertSucceeded(response)
      assert.equal(await end, 0)
      assert.match(portico.output(), /stopped\n$/)

      const again = await startReady(t, env)
      const { accessToken, session } = response.body.data
      assertSucceeded(await get(again, '/api/user-details', { as: { accessToken, sessionId: session.sessionId } }))
    })

    it(`writes the last activity of sessions, on ${engine}`, async (t) => {
      const env = await emptyDatabase(t, engine)
      const portico = await startReady(t, env)
      const person = await signUpAt(portico)
      assertSucceeded(await get(portico, '/api/user-details', { as: person }))
      assert.equal(await portico.stop(), 0)
      const session = await readDatabase(env, ({ query }) =>
        query
          .selectFrom('sessions')
          .select(['created_at', 'last_active_at'])
          .where('id', '=', person.sessionId)
          .executeTakeFirstOrThrow(),
      )
      assert.ok(session.last_active_at > session.created_at)
    })

    it(`loses nothing that was acknowledged, even when killed, on ${engine}`, async (t) => {
      const env = await emptyDatabase(t, engine)
      let portico = await startReady(t, env)
      for (let round = 0; round < 3; round++) {
        const body = registration()
        const { email, password } = body
        assertSucceeded(await post(portico, '/api/create-account', body), 201)
        assert.equal(await portico.stop('SIGKILL'), 'SIGKILL')

        portico = await startReady(t, env)
        assertRefused(await post(portico, '/api/create-account', body), 409, 'Email already registered')
        assertRefused(await post(portico, '/api/log-in', { email, password }), 403)
        const accept = { headers: { accept: 'application/json' } }
        const { mails } = (await get(portico, `/dev/mailbox?to=${email}`, accept)).body
        // A mail that was being sent when the process died waits until its lease expires.
        const waiting = await readDatabase(env, ({ query }) =>
          query.selectFrom('outbox').select('id').where('recipient', '=', email).execute(),
        )
        assert.ok(mails.length + waiting.length > 0)
      }
    })
  }

  it('exits with 0 on SIGINT too', async (t) => {
    const portico = await startReady(t, await emptyDatabase(t, 'sqlite'))
    assert.equal(await portico.stop('SIGINT'), 0)
  })

  it('serves for DRAIN_SECONDS, on new connections too, and is not ready', async (t) => {
    const portico = await startReady(t, { ...(await emptyDatabase(t, 'sqlite')), DRAIN_SECONDS: '4' })
    const anew = { headers: { connection: 'close' } }
    const end = portico.stop()
    await portico.logged('finishing what is under way')
    const ready = await get(portico, '/readyz', anew)
    assert.deepEqual([ready.status, ready.body], [503, { status: 'draining' }])
    assertRefused(await get(portico, '/api/user-details', anew), 401)
    assert.equal(await end, 0)
  })

  it('exits with 0 when the signal arrives during the start', async (t) => {
    const portico = await startProcess(t, await emptyDatabase(t, 'sqlite'))
    await portico.logged('Listening on')
    assert.equal(await portico.stop(), 0)
  })

  it('is immediate at the second Ctrl-C, with the exit code of shells', async (t) => {
    // One Ctrl-C may arrive twice within half a second. On a starved machine the copy may arrive later, and ends the
    // process. So one of several attempts has to show that a copy does not.
    let portico: PorticoProcess
    let attempts = 0
    do {
      assert.ok(attempts++ < 5, 'every copy of a Ctrl-C ended the process')
      portico = await startReady(t, await emptyDatabase(t, 'sqlite'))
      await beginGet(portico, '/api/user-details')
      portico.child.kill('SIGINT')
      await portico.logged('finishing what is under way')
      portico.child.kill('SIGINT')
      await setTimeout(700)
    } while (portico.child.exitCode !== null)
    assert.equal(await portico.stop('SIGINT'), 130)
  })

  it('does not wait for a client that never completes its request', async (t) => {
    const portico = await startReady(t, await emptyDatabase(t, 'sqlite'))
    await beginGet(portico, '/api/user-details')
    await beginLogIn(portico, { email: newEmail(), password: PASSWORD })
    assert.equal(await portico.stop(), 0)
  })

  it('does not wait for a mail server that sends no greeting, and keeps the mail', async (t) => {
    const sink = await startSmtpSink()
    cleanUp(t, () => sink.down())
    const env = { ...(await emptyDatabase(t, 'sqlite')), SMTP_URL: sink.url }
    const portico = await startReady(t, env)
    const called = sink.mute()
    assertSucceeded(await post(portico, '/api/create-account', registration()), 201)
    await called
    assert.equal(await portico.stop(), 0)
    const kept = await readDatabase(env, ({ query }) => query.selectFrom('outbox').select('id').execute())
    assert.equal(kept.length, 1)
  })
})
