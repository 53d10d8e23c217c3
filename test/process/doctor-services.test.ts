import assert from 'node:assert/strict'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { SMTPServer } from 'smtp-server'
import { openPostgres } from '../../src/database/postgres.ts'
import { openForReading } from '../../src/database/read-only.ts'
import { checkClock } from '../../src/doctor/clock.ts'
import { openDatabaseToExamine } from '../../src/doctor/database.ts'
import type { CheckParts } from '../../src/doctor/finding.ts'
import { checkMailDomain } from '../../src/doctor/mail-domain.ts'
import { checkMailServer } from '../../src/doctor/mail-server.ts'
import { observePostgres } from '../../src/doctor/postgres.ts'
import { checkProviders } from '../../src/doctor/providers.ts'
import { createRedaction } from '../../src/doctor/redact.ts'
import type { Log } from '../../src/logging/log.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startCodeHost } from '../support/code-host.ts'
import { assertFound, configOf, createCertificate, LIMIT_MS, QUIET, startDnsServer, trust } from '../support/doctor.ts'
import { freePort } from '../support/local-servers.ts'
import { startSmtpSink } from '../support/mail.ts'
import { startOpenIdProvider } from '../support/openid-provider.ts'
import { readDatabase } from '../support/process.ts'
import { temporaryDatabase } from '../support/service.ts'

const signal = AbortSignal.timeout(LIMIT_MS)
const noLog = { info() {}, warn() {}, error() {} } as unknown as Log

/** The parts of a check that needs no database. */
function partsOf(env: Record<string, string>): CheckParts {
  const config = configOf({ ...QUIET, ...env })
  return { config, database: undefined, signal, redact: createRedaction(config) }
}

describe('portico doctor on PostgreSQL', () => {
  it('finds a server that does not respond, a wrong password and a missing database, and shows no password', async (t) => {
    const { DATABASE_URL = '' } = await temporaryDatabase(t, 'postgres')
    const reasonAt = async (change: (url: URL) => void) => {
      const url = new URL(DATABASE_URL)
      change(url)
      const config = configOf({ DATABASE_URL: url.href })
      const { observations } = await openDatabaseToExamine(config.database, LIMIT_MS, createRedaction(config))
      assert.ok(!JSON.stringify(observations).includes('hunter2'))
      return observations
    }
    const closed = await freePort()
    assertFound(
      await reasonAt((url) => {
        url.port = String(closed)
        url.password = 'hunter2'
      }),
      'fault',
      /^no connection to PostgreSQL at 127\.0\.0\.1:\d+: .*ECONNREFUSED/,
      /^Start PostgreSQL/,
    )
    assertFound(
      await reasonAt((url) => {
        url.password = 'hunter2'
      }),
      'fault',
      /password authentication failed/,
      /^Correct user name and password/,
    )
    assertFound(
      await reasonAt((url) => {
        url.pathname = '/nowhere'
      }),
      'fault',
      /database "nowhere" does not exist/,
      /createdb/,
    )
  })

  it('finds a read-only server, missing rights, too few connections and wrong clocks', async (t) => {
    const env = await temporaryDatabase(t, 'postgres')
    const role = `reader_${process.pid}`
    const { pathname } = new URL(env.DATABASE_URL ?? '')
    await readDatabase(env, async ({ query }) => {
      await sql`create role ${sql.ref(role)} login password 'hunter2' connection limit 5`.execute(query)
      await sql`alter role ${sql.ref(role)} in database ${sql.ref(pathname.slice(1))}
        set default_transaction_read_only = on`.execute(query)
    })
    cleanUp(t, () => readDatabase(env, ({ query }) => sql`drop role ${sql.ref(role)}`.execute(query)))
    const url = Object.assign(new URL(env.DATABASE_URL ?? ''), { username: role, password: 'hunter2' })
    const config = configOf({ ...env, ...QUIET, DATABASE_URL: url.href })
    const database = await openForReading(config.database, noLog)
    assert.ok(database)
    cleanUp(t, () => database.close())
    const observations = await observePostgres(database, 99)
    assertFound(observations, 'fault', /^PostgreSQL is read-only/, /must lead to the primary/)
    assertFound(observations, 'fault', /^the role reader_\d+ may not write/, /grant all on all tables/)
    assertFound(observations, 'fault', /may open 990 connections, and PostgreSQL allows \d+/, /max_connections/)
    assertFound(
      observations,
      'fault',
      /the role reader_\d+ is allowed 5/,
      /^alter role reader_\d+ connection limit 990;/,
    )

    const clockAt = (offsetMs: number) =>
      checkClock({
        ...partsOf({}),
        config,
        database: { ...database, now: sql<number>`(${database.now} + ${offsetMs})` },
      })
    assertFound(await clockAt(0), 'ok', /^the clocks agree/)
    assertFound(await clockAt(5000), 'warning', /seconds behind that of the database/, /chrony/)
    assertFound(await clockAt(-60_000), 'fault', /seconds ahead of that of the database/, /chrony/)
  })
})

describe('PostgreSQL with synchronous_commit off', () => {
  it('is a warning of every command that opens the database, and with local it is none', async (t) => {
    const { DATABASE_URL = '' } = await temporaryDatabase(t, 'postgres')
    const opened = async (setting: string) => {
      const warnings: unknown[] = []
      const log = { ...noLog, warn: (message: unknown) => warnings.push(message) } as unknown as Log
      const url = `${DATABASE_URL}?options=-c%20synchronous_commit%3D${setting}`
      const database = await openPostgres(url, LIMIT_MS, log)
      cleanUp(t, () => database.close())
      return warnings
    }
    const off = await opened('off')
    assert.match(off.join(), /^PostgreSQL has synchronous_commit = off, so that a crash .*: turn it on$/)
    assert.deepEqual(await opened('local'), [])
  })
})

describe('portico doctor on the mail server', () => {
  it('finds a server that is unknown, closed, without TLS, or with a log-in that it refuses', async (t) => {
    const sink = await startSmtpSink()
    cleanUp(t, () => sink.down())
    const check = (SMTP_URL: string, SMTP_TLS = 'off') => checkMailServer(partsOf({ SMTP_URL, SMTP_TLS }))
    assertFound(await check(sink.url), 'ok', /^127\.0\.0\.1:\d+ responds$/)
    assertFound(
      await check('smtp://nowhere.invalid'),
      'fault',
      /nowhere\.invalid cannot be resolved/,
      /^Correct the host/,
    )
    assertFound(await check(`smtp://127.0.0.1:${await freePort()}`), 'fault', /nothing listens at/, /firewall/)
    assertFound(await check(sink.url, 'on'), 'fault', /offers no TLS that can be verified/, /NODE_EXTRA_CA_CERTS/)
    assert.deepEqual([sink.offers, sink.mails.length], [0, 0])

    const strict = new SMTPServer({
      hideSTARTTLS: true,
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => done(new Error('no')),
    })
    strict.listen(0, '127.0.0.1')
    await once(strict.server, 'listening')
    cleanUp(t, () => new Promise<void>((closed) => strict.close(closed)))
    const { port } = strict.server.address() as AddressInfo
    // A password that is a word of the message leaves the message as it is.
    for (const password of ['hunter2', 'password']) {
      const refused = await check(`smtp://user:${password}@127.0.0.1:${port}`)
      assertFound(refused, 'fault', /does not accept the user name and password/, /^Correct user name and password/)
      assert.ok(!JSON.stringify(refused).includes('hunter2'))
    }
  })

  it('finds a certificate that is not trusted, or expires soon, and sends a mail only if asked', async (t) => {
    const { key, certificate } = await createCertificate(t, 5)
    const sink = await startSmtpSink({ key, cert: certificate })
    cleanUp(t, () => sink.down())
    const parts = partsOf({ SMTP_URL: sink.url.replace('127.0.0.1', 'localhost'), SMTP_TLS: 'on' })
    assertFound(await checkMailServer(parts), 'fault', /self-signed certificate/, /NODE_EXTRA_CA_CERTS/)
    trust(t, certificate)
    assertFound(await checkMailServer(parts), 'warning', /localhost:\d+ expires in 4 days/, /^Renew it/)
    assert.equal(sink.mails.length, 0)
    await checkMailServer({ ...parts, sendTo: 'operator@example.com' })
    assert.deepEqual(
      sink.mailsTo('operator@example.com').map(({ isEncrypted }) => isEncrypted),
      [true],
    )
  })

  it('finds missing SPF and DMARC records', async (t) => {
    const texts = { 'good.example': 'v=spf1 -all', '_dmarc.good.example': 'v=DMARC1; p=none' }
    const resolver = new Resolver({ timeout: LIMIT_MS, tries: 1 })
    resolver.setServers([await startDnsServer(t, texts)])
    const check = (MAIL_FROM: string) => checkMailDomain(partsOf({ SMTP_URL: 'smtp://localhost', MAIL_FROM }), resolver)
    assertFound(await check('a@good.example'), 'ok', /^good\.example has SPF and DMARC records/)
    const observations = await check('a@mail.bad.example')
    assertFound(observations, 'warning', /no SPF record/, /TXT record mail\.bad\.example with v=spf1/)
    assertFound(observations, 'warning', /no DMARC record/, /TXT record _dmarc\.mail\.bad\.example/)
    // The record of the organization is enough.
    assertFound(await check('a@mail.good.example'), 'warning', /no SPF record/)
    assert.equal((await check('a@mail.good.example')).length, 1)
    assertFound(await check('a@localhost'), 'skipped', /not a domain of the public DNS/)
  })
})

describe('portico doctor on sign-in providers', () => {
  it('finds wrong secrets, wrong addresses and providers that do not respond', async (t) => {
    const codehost = await startCodeHost()
    const idp = await startOpenIdProvider()
    cleanUp(t, () => codehost.close())
    cleanUp(t, () => idp.close())
    const right = { ...codehost.settings, ...idp.settings, BASE_URL: 'http://localhost:3000' }
    const check = (changes: Record<string, string>) => checkProviders(partsOf({ ...right, ...changes }))
    const found = await check({})
    assertFound(found, 'ok', /must be registered there: http:\/\/localhost:3000\/api\/oauth\/idp$/)
    assertFound(found, 'ok', /must be registered there: http:\/\/localhost:3000\/api\/oauth\/codehost$/)

    const wrongSecrets = await check({ IDP_CLIENT_SECRET: 'hunter2', CODEHOST_CLIENT_SECRET: 'hunter2' })
    assertFound(wrongSecrets, 'fault', /does not accept IDP_CLIENT_ID with IDP_CLIENT_SECRET/, /^Copy IDP_CLIENT_ID/)
    assertFound(wrongSecrets, 'fault', /does not accept CODEHOST_CLIENT_ID/, /^Copy CODEHOST_CLIENT_ID/)
    const elsewhere = await check({ BASE_URL: 'http://localhost:3001' })
    assertFound(
      elsewhere,
      'fault',
      /refuses to begin a sign-in \(400\)/,
      /^Register http:\/\/localhost:3001\/api\/oauth\/idp/,
    )
    const alias = await check({ IDP_ISSUER: idp.url.replace('127.0.0.1', 'localhost') })
    assertFound(
      alias,
      'fault',
      /the provider calls itself http:\/\/127\.0\.0\.1/,
      /^Set IDP_ISSUER=http:\/\/127\.0\.0\.1/,
    )
    assertFound(
      await check({ IDP_ISSUER: codehost.url }),
      'fault',
      /openid-configuration responds with 404/,
      /IDP_ISSUER/,
    )
    await idp.down()
    assertFound(await check({}), 'fault', /openid-configuration cannot be read: nothing listens there/, /IDP_ISSUER/)
  })
})
