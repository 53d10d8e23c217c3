import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { crowd, someone } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, get, post } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startProcess } from '../support/process.ts'
import { freshDatabase, startOn } from '../support/service.ts'
import { pgBouncers, startPgBouncer, supportsPreparedStatements } from './pgbouncer.ts'

// Fewer than the connections of one instance, so that its statements run on all of them.
const POOL_SIZE = '4'
// A timeout other than the service's, which PgBouncer could not know, and above the delays of a starved machine.
const TIMEOUT_MS = 4000

async function databaseBehind(t: TestContext, bouncer: (typeof BOUNCERS)[number], settings: Record<string, string>) {
  const database = await freshDatabase('postgres')
  cleanUp(t, () => database.drop())
  const direct = database.env.DATABASE_URL ?? ''
  const DATABASE_URL = await startPgBouncer(t, bouncer, direct, {
    pool_mode: 'transaction',
    default_pool_size: POOL_SIZE,
    ...settings,
  })
  return { direct, env: { ...database.env, DATABASE_URL } }
}

const limited = (env: Record<string, string>) => ({ ...env, RATE_LIMITS: 'on' })

const BOUNCERS = await pgBouncers()
const newest = BOUNCERS.at(-1) as (typeof BOUNCERS)[number]
const CASES = [
  ...BOUNCERS.filter((bouncer) => !supportsPreparedStatements(bouncer)).map((bouncer) => ({ bouncer, settings: {} })),
  { bouncer: newest, settings: { max_prepared_statements: '0' } },
  { bouncer: newest, settings: { max_prepared_statements: '200' } },
  {
    bouncer: newest,
    settings: { ignore_startup_parameters: 'statement_timeout,idle_in_transaction_session_timeout' },
  },
]

for (const { bouncer, settings } of CASES) {
  describe(`PgBouncer ${bouncer.version} in transaction mode, ${JSON.stringify(settings)}`, () => {
    it('serves two instances that start together, without an error', async (t) => {
      const { env } = await databaseBehind(t, bouncer, settings)
      const services = await Promise.all([startOn(limited(env)), startOn(limited(env))])
      for (const service of services) cleanUp(t, () => service.close())
      const [service] = services
      const people = await crowd(service as (typeof services)[number], 5)
      await Promise.all(
        services.flatMap((each) =>
          people.map(async (person, number) => {
            for (let round = 0; round < 10; round++) {
              assertSucceeded(await post(each, '/api/user-details', { bio: `bio ${number}` }, { as: person }))
              assertSucceeded(await get(each, '/api/user-details', { as: person }))
              const list = await get(each, '/api/sessions', { as: person })
              assertSucceeded(list)
              assert.match(list.headers.get('ratelimit') ?? 'not counted', /^"api";r=\d+;t=\d+$/)
              assert.equal((await get(each, '/readyz')).status, 200)
            }
          }),
        ),
      )
    })

    it('gives a 503 when the database does not respond, and leaves no transaction open', async (t) => {
      const { direct, env } = await databaseBehind(t, bouncer, settings)
      const service = await startOn(env, { databaseTimeoutMs: TIMEOUT_MS })
      cleanUp(t, () => service.close())
      const person = await someone(service)
      const limit = await service.portico.database.transaction((tx) =>
        sql<{ statement_timeout: string }>`show statement_timeout`.execute(tx),
      )
      assert.deepEqual(limit.rows, [{ statement_timeout: '4s' }])
      const admin = new pg.Client({ connectionString: direct })
      await admin.connect()
      cleanUp(t, () => admin.end())

      await admin.query('begin; lock table users')
      // The lock is released after the response.
      assertRefused(await post(service, '/api/user-details', { bio: 'late' }, { as: person }), 503)
      await admin.query('rollback')
      assertSucceeded(await post(service, '/api/user-details', { bio: 'in time' }, { as: person }))
      const { rows } = await admin.query(
        "select state from pg_stat_activity where datname = current_database() and state like 'idle in%'",
      )
      assert.deepEqual(rows, [])
    })
  })
}

describe(`PgBouncer ${newest.version} in statement mode`, () => {
  it('keeps the service from starting, and is named in the log', async (t) => {
    const { env } = await databaseBehind(t, newest, { pool_mode: 'statement' })
    const portico = await startProcess(t, env)
    assert.equal(await portico.end(), 1)
    assert.match(
      portico.output(),
      /DATABASE_URL leads to a pooler that allows no transactions: set pool_mode = transaction/,
    )
  })
})
