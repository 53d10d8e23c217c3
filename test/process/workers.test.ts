import assert from 'node:assert/strict'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import {
  type ApiResponse,
  assertRefused,
  assertSucceeded,
  type CallOptions,
  call,
  type Person,
} from '../support/api.ts'
import { type CleanedUp, suiteCleanUp } from '../support/clean-up.ts'
import { type PorticoProcess, readDatabase, signUpAt, startProcess, startReady } from '../support/process.ts'
import { from, LIMITED, newAddress } from '../support/rate-limits.ts'
import { ENGINES, temporaryDatabase } from '../support/service.ts'

const WORKERS = 2

/** Each call over a connection of its own: the workers take turns. */
function callAnew(portico: PorticoProcess, method: string, path: string, body?: unknown, options: CallOptions = {}) {
  return call(portico, method, path, body, { ...options, headers: { ...options.headers, connection: 'close' } })
}

/** The worker that has sent the response, by its log line. */
async function workerOf(portico: PorticoProcess, { headers }: ApiResponse): Promise<string> {
  const line = new RegExp(`(\\d+): \\d{3} .*${headers.get('x-request-id')}`)
  await portico.logged(line)
  return line.exec(portico.output())?.[1] ?? ''
}

/** Repeats the request until each worker has responded, and returns the last response of each. */
async function askAll(
  portico: PorticoProcess,
  ask: () => Promise<ApiResponse>,
  workers = WORKERS,
): Promise<ApiResponse[]> {
  const responses = new Map<string, ApiResponse>()
  for (let round = 0; responses.size < workers; round++) {
    assert.ok(round < 20, `only ${[...responses.keys()]} responded`)
    const response = await ask()
    responses.set(await workerOf(portico, response), response)
  }
  return [...responses.values()]
}

const readProfile = (portico: PorticoProcess, as: Person) =>
  callAnew(portico, 'GET', '/api/user-details', undefined, { as })

async function startWorkers(t: CleanedUp, env: Record<string, string>): Promise<PorticoProcess> {
  const portico = await startReady(t, { BASE_URL: 'http://localhost:3000', ...env, WORKERS: String(WORKERS) })
  for (let worker = 1; worker <= WORKERS; worker++) await portico.logged(`${worker}: ● Listening on`)
  return portico
}

for (const engine of ENGINES) {
  describe(`workers on one port, on ${engine}`, () => {
    const suite = suiteCleanUp()
    let env: Record<string, string>
    let portico: PorticoProcess

    before(async () => {
      env = { ...(await temporaryDatabase(suite, engine)), ...LIMITED, RATE_LIMIT_API: '1000/1m' }
      portico = await startWorkers(suite, env)
    })

    it('all serve, with one signing key from one migration', async () => {
      const responses = await askAll(portico, () => callAnew(portico, 'GET', '/.well-known/jwks.json'))
      assert.equal(responses.length, WORKERS)
      for (const { body } of responses) {
        assert.equal(body.keys.length, 1)
        assert.deepEqual(body, responses[0]?.body)
      }
      const secrets = await readDatabase(env, ({ query }) => query.selectFrom('secrets').select('name').execute())
      assert.equal(secrets.length, 2)
    })

    it('log once that the service is ready', () => {
      assert.equal(portico.output().split('Portico is ready at').length - 1, 1)
    })

    it('all refuse a session at the first request after one has revoked it, 20 times', async () => {
      const owner = await signUpAt(portico)
      for (let round = 0; round < 20; round++) {
        const { email, password } = owner
        const loggedIn = await callAnew(portico, 'POST', '/api/log-in', { email, password }, from(newAddress()))
        assertSucceeded(loggedIn)
        const { accessToken, session } = loggedIn.body.data
        const other = { ...owner, accessToken, sessionId: session.sessionId }
        // Every worker has verified the token's signature by now, and has cached it.
        for (const response of await askAll(portico, () => readProfile(portico, other))) assertSucceeded(response)
        const body = { sessionId: other.sessionId }
        assertSucceeded(await callAnew(portico, 'DELETE', '/api/sessions', body, { as: owner }))
        for (const response of await askAll(portico, () => readProfile(portico, other))) assertRefused(response, 401)
        assertSucceeded(await readProfile(portico, owner))
      }
    })

    it('count together in the rate limits', async () => {
      const email = 'nobody@example.com'
      const tries: ApiResponse[] = []
      const attempt = async () => {
        const response = await callAnew(portico, 'POST', '/api/log-in', { email, password: 'Wrong-Horse-7' })
        tries.push(response)
        return response
      }
      await askAll(portico, attempt)
      while (tries.length < 8) await attempt()
      assert.deepEqual(
        tries.map(({ status }) => status),
        [401, 401, 401, 401, 401, 429, 429, 429],
      )
    })

    it('replace one that is killed, and serve meanwhile', async () => {
      const owner = await signUpAt(portico)
      const [, pid] = /worker 2 is process (\d+)/.exec(portico.output()) ?? []
      process.kill(Number(pid), 'SIGKILL')
      await portico.logged('worker 2 has ended (SIGKILL): another one starts in 0.5 s')
      for (let round = 0; round < 5; round++) assertSucceeded(await readProfile(portico, owner))
      await portico.logged(`${WORKERS + 1}: ● Listening on`)
      for (const response of await askAll(portico, () => readProfile(portico, owner))) assertSucceeded(response)
    })

    it('write the last activity, and exit with 0 when the service is stopped', async () => {
      const owner = await signUpAt(portico)
      await askAll(portico, () => readProfile(portico, owner))
      assert.equal(await portico.stop(), 0)
      assert.match(portico.output(), /all workers have stopped\n$/)
      assert.equal(portico.output().split('● stopped\n').length - 1, WORKERS)
      const session = await readDatabase(env, ({ query }) =>
        query
          .selectFrom('sessions')
          .select(['created_at', 'last_active_at'])
          .where('id', '=', owner.sessionId)
          .executeTakeFirstOrThrow(),
      )
      assert.ok(session.last_active_at > session.created_at)
    })
  })
}

describe('a service with workers that cannot start', () => {
  it('reports an invalid value of WORKERS', async (t) => {
    for (const value of ['0', '-1', '1.5', 'many', '100']) {
      const portico = await startProcess(t, { WORKERS: value })
      assert.equal(await portico.end(), 1)
      assert.match(portico.output(), new RegExp(`WORKERS must be a number from 1 to 99, or auto .*"${value}"`))
    }
  })

  it('exits with 1 and logs the reason when the content cannot be read, with one worker or two', async (t) => {
    const env = await temporaryDatabase(t, 'sqlite')
    const CONTENT_DIR = join(env.DATA_DIR ?? '', 'loop')
    await symlink(CONTENT_DIR, CONTENT_DIR)
    for (const WORKERS of ['1', '2']) {
      const portico = await startProcess(t, { ...env, WORKERS, CONTENT_DIR })
      assert.equal(await portico.end(), 1)
      assert.match(portico.output(), /The content folder cannot be read: ELOOP/)
      assert.ok(!portico.output().includes('another one starts'), portico.output())
      assert.ok(!portico.output().includes('is ready at'), portico.output())
    }
  })

  it('exits with 1, logs the reason once and does not retry', async (t) => {
    const env = await temporaryDatabase(t, 'sqlite')
    const running = await startReady(t, env)
    const portico = await startProcess(t, { ...env, WORKERS: '2', PORT: new URL(running.url).port })
    assert.equal(await portico.end(), 1)
    assert.equal(portico.output().split('is taken').length - 1, 1)
    assert.ok(!portico.output().includes('another one starts'), portico.output())
  })
})
