import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { sql } from 'kysely'
import type { Tx } from '../../src/database/engine.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { isUnavailable } from '../../src/database/postgres-errors.ts'
import { lockUser } from '../../src/sessions/lock-user.ts'
import { cleanUp } from '../support/clean-up.ts'
import { logTo, TEST_DATABASE_TIMEOUT_MS, temporaryDatabase } from '../support/service.ts'

// A statement gets its name at the fifth run.
const RUNS = 5

async function openDatabase(t: TestContext) {
  const { DATABASE_URL = '' } = await temporaryDatabase(t, 'postgres')
  const lines: string[] = []
  const log = logTo((line) => lines.push(line))
  const database = await openPostgres(DATABASE_URL, TEST_DATABASE_TIMEOUT_MS, log)
  cleanUp(t, () => database.close())
  // One transaction after another, so all of them run on the same connection.
  const transact = <T>(work: (tx: Tx) => Promise<T>) => database.query.transaction().execute(work)
  return { transact, warnings: () => lines.filter((line) => JSON.parse(line).level === 'warn') }
}

/** The statements with a name on the connection of the transaction. */
async function namedStatements(tx: Tx): Promise<string[]> {
  const { rows } = await sql<{ statement: string }>`
    select statement from pg_prepared_statements where name like 'portico-%'`.execute(tx)
  return rows.map(({ statement }) => statement)
}

async function repeat(times: number, work: () => Promise<unknown>): Promise<void> {
  for (let run = 0; run < times; run++) await work()
}

const readEmail = (tx: Tx) => tx.selectFrom('users').select('email').where('id', '=', 'nobody').execute()

describe('names of statements on PostgreSQL', () => {
  it('are given to statements in transactions that run often, and to no others', async (t) => {
    const { transact } = await openDatabase(t)
    await repeat(RUNS - 1, () => transact(readEmail))
    assert.deepEqual(await transact(namedStatements), [])
    await transact(readEmail)
    assert.deepEqual(await transact(namedStatements), ['select "email" from "users" where "id" = $1'])
  })

  it('are limited in number, whatever number of statements is built', async (t) => {
    const { transact } = await openDatabase(t)
    await transact(async (tx) => {
      for (let columns = 1; columns <= 150; columns++) {
        await repeat(RUNS, () => sql`select ${sql.raw(Array(columns).fill('1').join(', '))} where ${true}`.execute(tx))
      }
      assert.equal((await namedStatements(tx)).length, 100)
    })
  })

  it('do not break transactions when a newer instance adds a column', async (t) => {
    const { transact } = await openDatabase(t)
    const lock = (tx: Tx) => lockUser(tx, { id: 'nobody' })
    const readAll = (tx: Tx) => tx.selectFrom('users').selectAll().where('id', '=', 'nobody').execute()
    await repeat(RUNS, () => transact(lock))
    await repeat(RUNS, () => transact(readAll))
    const named = await transact(namedStatements)
    assert.match(named.join(), /for no key update/, 'the lock of an account has a name')
    assert.doesNotMatch(named.join(), /\*/)
    await transact((tx) => sql`alter table users add column added_later text`.execute(tx))
    await transact(lock)
    await transact(readAll)
  })

  it('are given up when the server does not know one, as behind a pooler: one transaction fails as unavailable', async (t) => {
    const { transact, warnings } = await openDatabase(t)
    await repeat(RUNS, () => transact(readEmail))
    await transact((tx) => sql`deallocate all`.execute(tx))
    await assert.rejects(transact(readEmail), isUnavailable)
    await repeat(RUNS, () => transact(readEmail))
    assert.deepEqual(await transact(namedStatements), [])
    assert.equal(warnings().length, 1)
    assert.match(warnings().join(), /does not support prepared statements/)
  })
})
