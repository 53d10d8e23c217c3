import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import pg from 'pg'
import {
  type ApiResponse,
  assertRefused,
  assertSucceeded,
  get,
  PASSWORD,
  post,
  registration,
  signUp,
} from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { signUpAt, startReady } from '../support/process.ts'
import {
  freshDatabase,
  type Service,
  startOn,
  TEST_DATABASE_TIMEOUT_MS,
  temporaryDatabase,
} from '../support/service.ts'

/** A service on a PostgreSQL database whose connections can be refused and accepted again. */
async function startWithOutages(t: TestContext) {
  const env = await temporaryDatabase(t, 'postgres')
  const name = new URL(env.DATABASE_URL ?? '').pathname.slice(1)
  const admin = new pg.Client({ connectionString: `${process.env.TEST_POSTGRES_URL}/postgres` })
  await admin.connect()
  cleanUp(t, () => admin.end())
  const service = await startOn(env)
  cleanUp(t, () => service.close())
  const disconnectAll = () =>
    admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  return {
    service,
    disconnectAll,
    async refuseConnections() {
      await admin.query(`alter database ${name} allow_connections false`)
      await disconnectAll()
    },
    acceptConnections: () => admin.query(`alter database ${name} allow_connections true`),
    drop: () => admin.query(`drop database ${name} with (force)`),
  }
}

async function timed(request: Promise<ApiResponse>): Promise<ApiResponse & { milliseconds: number }> {
  const began = performance.now()
  return { ...(await request), milliseconds: performance.now() - began }
}

/** Every request gets a response that it may be retried later. */
async function assertUnavailable(service: Service, person: Awaited<ReturnType<typeof signUp>>): Promise<void> {
  const { email, password, refreshToken, sessionId } = person
  const requests = [
    () => get(service, '/api/user-details', { as: person }),
    () => get(service, '/api/sessions', { as: person }),
    () => post(service, '/api/user-details', { bio: 'New' }, { as: person }),
    () => post(service, '/api/create-account', registration()),
    () => post(service, '/api/log-in', { email, password }),
    () => post(service, '/api/log-in', { email, password: 'Wrong-Horse-7' }),
    () => post(service, '/api/forgot-password', { email }),
    () => post(service, '/api/auth/refresh-token', { refreshToken }, { headers: { 'x-session-id': sessionId } }),
  ]
  for (const request of requests) {
    const response = await timed(request())
    assertRefused(response, 503, 'Service temporarily unavailable')
    assert.match(response.headers.get('retry-after') ?? '', /^\d+$/)
    // A refused connection to the database fails at once, without a timeout.
    assert.ok(response.milliseconds < TEST_DATABASE_TIMEOUT_MS / 2, `took ${response.milliseconds} ms`)
  }
  const ready = await get(service, '/readyz')
  assert.equal(ready.status, 503)
  assert.deepEqual(ready.body, { status: 'database unavailable' })
  assert.equal((await get(service, '/healthz')).status, 200)
}

describe('readiness on PostgreSQL', () => {
  it('is refused while the database accepts no connections, and returns with them', async (t) => {
    const { service, refuseConnections, acceptConnections } = await startWithOutages(t)
    const person = await signUp(service)
    assert.equal((await get(service, '/readyz')).status, 200)

    await refuseConnections()
    await assertUnavailable(service, person)

    await acceptConnections()
    assert.equal((await get(service, '/readyz')).status, 200)
    assertSucceeded(await get(service, '/api/user-details', { as: person }))
    assertSucceeded(await post(service, '/api/log-in', { email: person.email, password: PASSWORD }))
    await signUp(service)
  })

  it('is refused when the database does not exist any more', async (t) => {
    const { service, drop } = await startWithOutages(t)
    const person = await signUp(service)
    await drop()
    await assertUnavailable(service, person)
  })

  it('survives the end of all its connections', async (t) => {
    const { service, disconnectAll } = await startWithOutages(t)
    const person = await signUp(service)
    for (let round = 0; round < 10; round++) {
      // As many as the pool has, so that each connection is used.
      await Promise.all(Array.from({ length: 10 }, () => get(service, '/api/user-details', { as: person })))
      await disconnectAll()
      const responses = await Promise.all(
        Array.from({ length: 10 }, () => get(service, '/api/user-details', { as: person })),
      )
      for (const response of responses) {
        if (response.status === 503) assertRefused(response, 503)
        else assertSucceeded(response)
      }
    }
    assertSucceeded(await get(service, '/api/user-details', { as: person }))
    assert.equal((await get(service, '/readyz')).status, 200)
  })

  it('does not keep a process from exiting with 0 when the database is gone', async (t) => {
    const { env, drop } = await freshDatabase('postgres')
    cleanUp(t, drop)
    const portico = await startReady(t, env)
    const person = await signUpAt(portico)
    assertSucceeded(await get(portico, '/api/user-details', { as: person }))
    await drop()
    assert.equal(await portico.stop(), 0)
  })
})
