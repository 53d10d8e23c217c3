import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { assertRefused, assertSucceeded, get, PASSWORD, post, registration } from '../support/api.ts'
import { runProgram } from '../support/child.ts'
import { cleanUp, temporaryFolder } from '../support/clean-up.ts'
import { freePort } from '../support/local-servers.ts'
import { startProcess, startReady } from '../support/process.ts'
import { temporaryDatabase } from '../support/service.ts'

const SECRET = 'hunter2-is-my-secret'
// No mail server listens there: mail stays in the outbox.
const PRODUCTION = {
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  BASE_URL: 'https://portico.example',
  SMTP_URL: `smtp://me:${SECRET}@127.0.0.1:9`,
}

/** The code in the mail that could not be sent yet. */
async function codeWaitingIn(dataDir: string): Promise<string> {
  const database = new DatabaseSync(join(dataDir, 'portico.db'), { readOnly: true })
  const row = database.prepare('select text_body from outbox').get()
  database.close()
  const code = /^ {4}(\d{6})$/m.exec(String(row?.text_body))?.[1]
  assert.ok(code)
  return code
}

/** The duration in milliseconds of a Node process without work: 40 on an idle machine, and more on a busy one. */
async function emptyStart(t: TestContext): Promise<number> {
  const began = performance.now()
  await runProgram(t, process.execPath, ['-e', '0'])
  return performance.now() - began
}

describe('a start', () => {
  it('publishes the sample content in the folder of the repository', async (t) => {
    const DATA_DIR = await temporaryFolder(t)
    const portico = await startReady(t, { DATA_DIR }, join(import.meta.dirname, '../..'))
    await portico.logged(/content: [1-9]\d* posts, [1-9]/)
    assert.equal((await get(portico, '/about')).status, 200)
    assert.equal(await portico.stop(), 0)
  })

  it('needs no setting, and prints where everything is and which settings are missing', async (t) => {
    const cwd = await temporaryFolder(t)
    const portico = await startReady(t, {}, cwd)
    const address = portico.url.replace('127.0.0.1', 'localhost')
    await portico.logged(`Portico is ready at ${address}`)
    await portico.logged(`SQLite in ${join(cwd, 'data', 'portico.db')}`)
    await portico.logged(`mailbox: ${address}/dev/mailbox (SMTP_URL is not set)`)
    await portico.logged(
      /sign-in +passwords, passkeys, mailed codes \(CODEHOST_CLIENT_ID and IDP_CLIENT_ID are not set\)/,
    )
    await portico.logged('off (RATE_LIMITS=on turns them on)')
    await portico.logged(`${address}/api/openapi.json`)

    assert.deepEqual((await get(portico, '/healthz')).status, 200)
    assert.deepEqual((await get(portico, '/readyz')).status, 200)
    assertSucceeded(await post(portico, '/api/create-account', registration()), 201)
  })

  it('is ready on an existing database within two seconds', async (t) => {
    const env = { DATA_DIR: await temporaryFolder(t) }
    await (await startReady(t, env)).stop()
    // Compared with a start of Node alone, in several tries: other programs on this machine may slow each down.
    const times: { took: number; limit: number }[] = []
    const isInTime = () => times.some(({ took, limit }) => took < limit)
    while (times.length < 5 && !isInTime()) {
      const before = await emptyStart(t)
      const began = performance.now()
      const portico = await startReady(t, env)
      assert.equal((await get(portico, '/readyz')).status, 200)
      const took = performance.now() - began
      await portico.stop()
      times.push({ took, limit: Math.max(2000, 20 * (before + (await emptyStart(t)))) })
    }
    assert.ok(isInTime(), JSON.stringify(times))
  })

  it('refuses production without an address and a mail server, and names the settings and a misspelt one', async (t) => {
    const env = {
      NODE_ENV: 'production',
      DATA_DIR: await temporaryFolder(t),
      SMTP_ULR: `smtp://me:${SECRET}@mail.example.com`,
    }
    const portico = await startProcess(t, env)
    assert.equal(await portico.end(), 1)
    const [first, ...lines] = portico.output().trimEnd().split('\n')
    assert.equal(first, 'The configuration has 2 faults:')
    assert.match(lines[0] ?? '', /^ {2}BASE_URL is required in production: /)
    assert.match(lines[1] ?? '', /^ {2}SMTP_URL is required in production, /)
    assert.deepEqual(lines.slice(2), ['Also:', '  SMTP_ULR is not a setting: did you mean SMTP_URL?'])
  })

  it('names recommended changes of a production service: the password policy and a misspelt setting', async (t) => {
    const env = { ...PRODUCTION, DATA_DIR: await temporaryFolder(t), PASSWORD_POLCY: 'nist' }
    const portico = await startReady(t, env)
    await portico.logged('PASSWORD_POLCY is not a setting: did you mean PASSWORD_POLICY?')
    await portico.logged('PASSWORD_POLICY=nist is recommended')
  })

  it('refuses a public address when NODE_ENV is not set, and names both values', async (t) => {
    const portico = await startProcess(t, { BASE_URL: 'https://portico.example', DATA_DIR: await temporaryFolder(t) })
    assert.equal(await portico.end(), 1)
    assert.match(
      portico.output(),
      /^The configuration has a fault:\n {2}NODE_ENV is not set, and BASE_URL=https:\/\/portico\.example looks public: set NODE_ENV=production, or NODE_ENV=development /,
    )
  })

  it('names broken lines and misspelt settings of .env', async (t) => {
    const cwd = await temporaryFolder(t)
    await writeFile(join(cwd, '.env'), `PORT=0\nRATE_LIMTS=on\n${SECRET}\nMAIL_FROM="${SECRET}\n`)
    const portico = await startProcess(t, {}, cwd)
    assert.equal(await portico.end(), 1)
    assert.deepEqual(portico.output().trimEnd().split('\n'), [
      'The configuration has 4 faults:',
      '  MAIL_FROM must be an address such as Site <no-reply@example.com>',
      '  .env line 3 has no "=": a setting is written NAME=value',
      '  .env line 4 opens a quote for MAIL_FROM that does not end the value',
      '  RATE_LIMTS in line 2 of .env is not a setting: did you mean RATE_LIMITS?',
    ])
  })

  it('reports all errors together and no secret', async (t) => {
    const portico = await startProcess(t, {
      PORT: 'http',
      SMTP_URL: `ftp://me:${SECRET}@mail.example.com`,
      DATABASE_URL: `mysql://root:${SECRET}@localhost/portico`,
      RATE_LIMIT_LOGIN: 'often',
      PASSWORD_POLICY: 'strict',
    })
    assert.equal(await portico.end(), 1)
    const output = portico.output()
    assert.match(output, /^The configuration has 5 faults:\n/)
    for (const name of ['PORT', 'SMTP_URL', 'DATABASE_URL', 'RATE_LIMIT_LOGIN', 'PASSWORD_POLICY']) {
      assert.match(output, new RegExp(`^ {2}${name} must `, 'm'))
    }
    assert.ok(!output.includes(SECRET), output)
  })

  it('exits with 1 when its port is taken, names the port, and is not reported as running', async (t) => {
    const other = createServer().listen(0, '127.0.0.1')
    cleanUp(t, () => other.close())
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    const DATA_DIR = await temporaryFolder(t)
    const portico = await startProcess(t, { PORT: String(port), DATA_DIR })
    assert.equal(await portico.end(), 1)
    assert.ok(portico.output().includes(String(port)))
    assert.ok(!portico.output().includes('is ready'))
    const database = new DatabaseSync(join(DATA_DIR, 'portico.db'), { readOnly: true })
    cleanUp(t, () => database.close())
    assert.deepEqual(database.prepare('select id from instances').all(), [])
  })

  it('exits with 1 when the database cannot be reached, and prints no password', async (t) => {
    const url = `postgres://portico:${SECRET}@127.0.0.1:${await freePort()}/portico`
    const portico = await startProcess(t, { DATABASE_URL: url, DATA_DIR: await temporaryFolder(t) })
    assert.equal(await portico.end(), 1)
    assert.match(portico.output(), /ECONNREFUSED/)
    assert.ok(!portico.output().includes(SECRET), portico.output())
  })

  it('reads secrets from files', async (t) => {
    const cwd = await temporaryFolder(t)
    const env = await temporaryDatabase(t, 'postgres')
    await writeFile(join(cwd, 'database'), `${env.DATABASE_URL}\n`)
    await writeFile(join(cwd, 'smtp'), `${PRODUCTION.SMTP_URL}\n`)
    const { SMTP_URL: _, ...rest } = PRODUCTION
    const portico = await startReady(t, { ...rest, DATABASE_URL_FILE: 'database', SMTP_URL_FILE: 'smtp' }, cwd)
    await portico.logged('"data":"PostgreSQL"')
    await portico.logged('"mail":"by SMTP"')
    assertSucceeded(await post(portico, '/api/create-account', registration()), 201)
    assert.equal(await portico.stop(), 0)
    assert.ok(!portico.output().includes(SECRET), portico.output())
  })

  it('reads .env in the working directory, and the real environment wins', async (t) => {
    const cwd = await temporaryFolder(t)
    await writeFile(
      join(cwd, '.env'),
      'PORT=1\nNODE_ENV=development\nBASE_URL=https://from.example\nRATE_LIMITS=on\nDATA_DIR="./kept here"\n',
    )
    const portico = await startReady(t, { RATE_LIMITS: 'off' }, cwd)
    await portico.logged('Portico is ready at https://from.example')
    await portico.logged(`SQLite in ${join(cwd, 'kept here', 'portico.db')}`)
    await portico.logged('limits    off')
    assert.equal((await get(portico, '/healthz')).status, 200)
  })

  it('logs one JSON line a request in production, without query, body or secret', async (t) => {
    const DATA_DIR = await temporaryFolder(t)
    const portico = await startReady(t, { ...PRODUCTION, DATA_DIR })
    const refused = await get(portico, `/api/user-details?token=${SECRET}`)
    assertRefused(refused, 401)
    const created = await post(portico, '/api/create-account', registration())
    assertSucceeded(created, 201)
    assert.equal(await portico.stop(), 0)

    const lines = portico
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const requests = lines.filter(({ message }) => message === 'request')
    assert.equal(requests.length, 2)
    for (const [at, { status, body }] of [refused, created].entries()) {
      assert.equal(requests[at].requestId, body.requestId)
      assert.equal(requests[at].status, status)
      assert.equal(requests[at].ip, '127.0.0.1')
      assert.equal(new Date(requests[at].time).toISOString(), requests[at].time)
    }
    assert.deepEqual(
      requests.map(({ method, path }) => `${method} ${path}`),
      ['GET /api/user-details', 'POST /api/create-account'],
    )
    assert.ok(!portico.output().includes(SECRET) && !portico.output().includes(PASSWORD))
    assert.ok(!portico.output().includes(await codeWaitingIn(DATA_DIR)), 'a code was logged')
  })
})
