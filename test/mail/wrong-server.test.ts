import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { assertSucceeded, get, newEmail, post, registration } from '../support/api.ts'
import { cleanUp, temporaryFolder } from '../support/clean-up.ts'
import { freePort } from '../support/local-servers.ts'
import { CERTIFICATE, KEY } from '../support/mail.ts'
import { startReady } from '../support/process.ts'
import { ENGINES, startLoggedService } from '../support/service.ts'

const SECRET = 'hunter2-is-my-secret'

/** A mail server that refuses the authentication, and repeats the password in its response. */
async function startRefusingServer(t: TestContext): Promise<number> {
  const server = new SMTPServer({
    logger: false,
    key: KEY,
    cert: CERTIFICATE,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    onAuth: ({ username, password }, _session, response) => response(new Error(`no ${username} with ${password}`)),
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  cleanUp(t, () => new Promise((closed) => server.close(() => closed(undefined))))
  await once(server.server, 'listening')
  return (server.server.address() as AddressInfo).port
}

/** A server of another protocol. */
async function startOtherServer(t: TestContext): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => {}).end(`HTTP/1.1 400 ${SECRET}\r\n\r\n`))
  server.listen(0, '127.0.0.1')
  cleanUp(t, () => server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

interface Case {
  settings(t: TestContext): Promise<Record<string, string>>
  logs: RegExp
}

const CASES: Record<string, Case> = {
  'a host that does not exist': {
    settings: async () => ({ SMTP_URL: `smtp://me:${SECRET}@no-such-host.invalid:587` }),
    logs: /^SMTP_URL: the host no-such-host\.invalid cannot be resolved \((ENOTFOUND|EAI_AGAIN)\)$/,
  },
  'a port at which nothing listens': {
    settings: async () => ({ SMTP_URL: `smtp://me:${SECRET}@127.0.0.1:${await freePort()}` }),
    logs: /^SMTP_URL: nothing listens at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)$/,
  },
  'an untrusted certificate': {
    settings: async (t) => ({
      SMTP_URL: `smtp://me:${SECRET}@localhost:${await startRefusingServer(t)}`,
      SMTP_TLS: 'on',
    }),
    logs: /^SMTP_URL: localhost:\d+ offers no TLS that can be verified \(SMTP_TLS=off sends mail in plain text\): self-signed certificate/,
  },
  'smtps at a port without TLS': {
    settings: async (t) => ({ SMTP_URL: `smtps://me:${SECRET}@localhost:${await startRefusingServer(t)}` }),
    logs: /^SMTP_URL: localhost:\d+ offers no TLS that can be verified \(smtp:\/\/ uses STARTTLS\): wrong version number$/,
  },
  'a wrong password': {
    settings: async (t) => ({ SMTP_URL: `smtp://me:${SECRET}@127.0.0.1:${await startRefusingServer(t)}` }),
    logs: /^SMTP_URL: 127\.0\.0\.1:\d+ does not accept the user name and password \(535\)$/,
  },
  'a missing user name': {
    settings: async (t) => ({ SMTP_URL: `smtp://127.0.0.1:${await startRefusingServer(t)}` }),
    logs: /^SMTP_URL: 127\.0\.0\.1:\d+ asks for a user name and password \(530\)$/,
  },
  'a server of another protocol': {
    settings: async (t) => ({ SMTP_URL: `smtp://me:${SECRET}@127.0.0.1:${await startOtherServer(t)}` }),
    logs: /^SMTP_URL: no SMTP connection to 127\.0\.0\.1:\d+ \(E[A-Z]+\)$/,
  },
}

for (const engine of ENGINES) {
  describe(`a mail server that cannot be used, on ${engine}`, () => {
    for (const [what, { settings, logs }] of Object.entries(CASES)) {
      it(`${what}: the log names the setting with each failed mail, and never the password`, async (t) => {
        const service = await startLoggedService(engine, await settings(t))
        cleanUp(t, () => service.close())
        assertSucceeded(await post(service, '/api/create-account', registration({ email: newEmail() })), 201)
        await service.portico.deliveryWorker.idle()
        const failures = service.lines.filter(({ mailId }) => mailId).map(({ err }) => (err as Error).message)
        assert.equal(failures.length, 1)
        assert.match(failures[0] ?? '', logs)
        const [mail] = await service.portico.database.query.selectFrom('outbox').selectAll().execute()
        assert.equal(mail?.failed_at, null, 'the mail waits until the setting is right')
        assert.ok(!`${JSON.stringify(service.lines)}${mail?.last_error}`.includes(SECRET))
      })
    }
  })
}

describe('the start of a service whose mail server cannot be used', () => {
  it('is not delayed, and the log names the setting', async (t) => {
    const port = await startRefusingServer(t)
    const portico = await startReady(t, {
      DATA_DIR: await temporaryFolder(t),
      SMTP_URL: `smtp://me:${SECRET}@127.0.0.1:${port}`,
    })
    await portico.logged(
      `mail cannot be sent, and waits: SMTP_URL: 127.0.0.1:${port} does not accept the user name and password (535)`,
    )
    assert.equal((await get(portico, '/readyz')).status, 200)
    assert.equal(await portico.stop(), 0)
    assert.ok(!portico.output().includes(SECRET))
  })

  it('does not wait for a server that accepts connections and sends no greeting', async (t) => {
    const silent = createServer((socket) => socket.on('error', () => {}))
    silent.listen(0, '127.0.0.1')
    const sockets = new Set<{ destroy(): void }>()
    silent.on('connection', (socket) => sockets.add(socket))
    cleanUp(t, () => {
      for (const socket of sockets) socket.destroy()
      silent.close()
    })
    await once(silent, 'listening')
    const SMTP_URL = `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const portico = await startReady(t, { DATA_DIR: await temporaryFolder(t), SMTP_URL })
    assert.equal((await get(portico, '/readyz')).status, 200)
    assert.equal(await portico.stop(), 0)
  })
})
