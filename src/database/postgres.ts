import { Kysely, PostgresAdapter, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { ConfigError } from '../config/config-error.ts'
import type { Log } from '../logging/log.ts'
import type { Engine, Tx } from './engine.ts'
import { migrate } from './migrate.ts'
import { type DatabaseObserver, observed, statementLog } from './observed.ts'
import {
  isPreparedStatementMismatch,
  isUnavailable,
  isUniqueViolation,
  isUnsupportedStartupParameter,
} from './postgres-errors.ts'
import { toKyselyPool } from './postgres-kysely-pool.ts'
import { createStatementNames, statementName } from './postgres-statement-names.ts'
import type { Tables } from './tables.ts'

// The response of a write is sent after its `commit`. `commit` resolves after the server has flushed its WAL, unless
// `synchronous_commit` is off (https://www.postgresql.org/docs/current/wal-async-commit.html). The statements that turn
// it off by themselves are those of `withoutWalFlush`.

const MAX_CONNECTIONS = 10
// `statement_timeout` (server) is shorter than `query_timeout` (client). The server cancels a slow statement first, and
// its connection stays usable. The client's timeout is for a server that does not respond at all.
const QUERY_TIMEOUT_MARGIN_MS = 400
const MIN_IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000

export async function openPostgres(
  url: string,
  timeoutMs: number,
  log: Log,
  { migrates = true, observer }: { migrates?: boolean; observer?: DatabaseObserver | undefined } = {},
): Promise<Engine> {
  if (migrates) await migrateUnderLock(url, log).catch(explainStatementPooling)
  const { pool, isBehindPooler } = await connectPool(url, timeoutMs, log)
  const names = createStatementNames(() => log.warn(NO_PREPARED_STATEMENTS))
  const begin = isBehindPooler ? beginWithTimeouts(timeoutMs) : 'begin'
  const query = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: toKyselyPool(pool, begin, isBehindPooler ? undefined : names) }),
    ...statementLog(observer),
  })
  await checkDurability(query, log)
  if (isBehindPooler) await checkPooler(query, log)

  return {
    name: 'postgres',
    query,
    // `statement_timestamp()` is the same wherever one statement uses it.
    now: sql<number>`(extract(epoch from statement_timestamp()) * 1000)::bigint`,
    // PostgreSQL looks up the values of an array in the order of the index. So all instances lock rows in the same
    // order, and their updates do not deadlock.
    isAmong: (column, texts) => sql`${sql.ref(column)} = any(array(select json_array_elements_text(${texts}::json)))`,
    jsonEntries: (object) => sql`json_each_text(${object}::json)`,
    prepare({ sql: compiled, query: node }, { relaxedDurability } = {}) {
      const text = relaxedDurability?.includes('postgres') ? withoutWalFlush(compiled) : compiled
      const name = statementName(text)
      const run = async (values: unknown[]) => {
        if (names.areUsed) {
          try {
            return (await pool.query({ name, text, values })).rows
          } catch (error) {
            if (!isPreparedStatementMismatch(error)) throw error
            names.stop()
          }
        }
        return (await pool.query({ text, values })).rows
      }
      return observed(run, node, observer)
    },
    connections: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    isWritable: sql<boolean>`current_setting('transaction_read_only') = 'off'`,
    isUniqueViolation,
    isUnavailable,
    throwIfFsyncFailed() {},
    async eraseDeletedContent() {},
    async close() {
      await query.destroy()
      // Kysely ends the pool only if it has run a statement.
      if (!pool.ending) await pool.end()
    },
  }
}

/**
 * Turns `synchronous_commit` off for the transaction of this statement only: its commit does not wait for the WAL flush
 * (https://www.postgresql.org/docs/current/wal-async-commit.html). `set_config` is part of the statement, because a
 * pooler may run the next statement of this client on another server connection. The statement must return rows, since
 * PostgreSQL may not call `set_config` for an empty join.
 */
function withoutWalFlush(statement: string): string {
  return `with written as (${statement}) select written.* from written, set_config('synchronous_commit', 'off', true)`
}

const NO_PREPARED_STATEMENTS =
  'the pooler in front of PostgreSQL does not support prepared statements, so every call parses its statement again: ' +
  'use PgBouncer 1.21 or later, with max_prepared_statements above 0'
const NO_STATEMENT_TIMEOUT =
  'PostgreSQL is behind a pooler and has no statement_timeout for this role: ' +
  "set one with `alter role … set statement_timeout = '1500ms'`"
const NO_SYNCHRONOUS_COMMIT =
  'PostgreSQL has synchronous_commit = off, so that a crash of the server loses writes that were acknowledged: turn it on'

/**
 * Sets the server's timeouts by startup parameters, which hold for the whole connection. PgBouncer refuses or ignores
 * such parameters. So a connection without them is one behind a pooler.
 */
async function connectPool(
  url: string,
  timeoutMs: number,
  log: Log,
): Promise<{ pool: pg.Pool; isBehindPooler: boolean }> {
  const clientOptions: pg.PoolConfig = {
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs + QUERY_TIMEOUT_MARGIN_MS,
  }
  const pool = createPool(url, log, { ...clientOptions, ...serverTimeouts(timeoutMs) })
  try {
    const { rows } = await pool.query<{ hasTimeout: boolean }>(
      `select setting::int = ${timeoutMs} and source = 'client' as "hasTimeout"
        from pg_settings where name = 'statement_timeout'`,
    )
    return { pool, isBehindPooler: !rows[0]?.hasTimeout }
  } catch (error) {
    await pool.end()
    if (!isUnsupportedStartupParameter(error)) throw error
    return { pool: createPool(url, log, clientOptions), isBehindPooler: true }
  }
}

function serverTimeouts(timeoutMs: number) {
  return {
    statement_timeout: timeoutMs,
    idle_in_transaction_session_timeout: Math.max(timeoutMs, MIN_IDLE_IN_TRANSACTION_TIMEOUT_MS),
  }
}

/** The same timeouts for one transaction, set in the round trip of its `begin`. */
function beginWithTimeouts(timeoutMs: number): string {
  const settings = Object.entries(serverTimeouts(timeoutMs)).map(([name, value]) => `set local ${name} = ${value}`)
  return ['begin', ...settings].join('; ')
}

/** The setting may come from the server, the database, the role or `DATABASE_URL`. */
async function checkDurability(query: Kysely<Tables>, log: Log): Promise<void> {
  const { rows } = await sql<{ synchronous_commit: string }>`show synchronous_commit`.execute(query)
  if (rows[0]?.synchronous_commit === 'off') log.warn(NO_SYNCHRONOUS_COMMIT)
}

/** Behind a pooler, statements outside a transaction have only the timeout of the role. */
async function checkPooler(query: Kysely<Tables>, log: Log): Promise<void> {
  const timeout = sql<{ setting: string }>`select setting from pg_settings where name = 'statement_timeout'`
  if ((await timeout.execute(query)).rows[0]?.setting === '0') log.warn(NO_STATEMENT_TIMEOUT)
  await query
    .transaction()
    .execute((tx) => timeout.execute(tx))
    .catch(explainStatementPooling)
}

// The key of Kysely's own advisory lock. Earlier versions of Portico used that lock, and may start at the same time.
const MIGRATION_LOCK_KEY = sql.lit('3853314791062309107')

async function migrateUnderLock(url: string, log: Log): Promise<void> {
  const query = openWithoutTimeouts(url, log)
  await migrate(query, lockSchema).finally(() => query.destroy())
}

/** A single connection whose statements have no timeout, for long transactions. It can run migrations. */
export function openWithoutTimeouts(url: string, log: Log): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new MigrationDialect({ pool: createPool(url, log, { max: 1 }) }) })
}

/** Waits while another instance is migrating, without a timeout. Then no other can until this transaction ends. */
export async function lockSchema(tx: Tx): Promise<void> {
  await sql`set local statement_timeout = 0`.execute(tx)
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
  await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK_KEY})`.execute(tx)
}

/**
 * Leaves out Kysely's own migration lock. It belongs to the session, and behind a pooler other clients use the same
 * session. `lockSchema` locks for the transaction instead.
 */
class MigrationDialect extends PostgresDialect {
  override createAdapter() {
    return Object.assign(new PostgresAdapter(), {
      async acquireMigrationLock() {},
      async releaseMigrationLock() {},
    })
  }
}

function createPool(url: string, log: Log, options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, types: { getTypeParser }, ...options })
  // The pool replaces an idle connection that breaks. Without a listener the error would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'lost a database connection'))
  // If a connection breaks while it is checked out, the next query on it rejects, and that error is logged.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

const BIGINT_OID = 20

/** Parses bigint as a number. All times and counts are far below 2^53. */
export function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === BIGINT_OID && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format as 'text')
}

/** PgBouncer refuses `begin` with `pool_mode = statement`. */
function explainStatementPooling(error: unknown): never {
  if (error instanceof Error && /statement pooling/.test(error.message)) {
    throw new ConfigError(
      ['DATABASE_URL leads to a pooler that allows no transactions: set pool_mode = transaction there'],
      [],
    )
  }
  throw error
}
