import { createHash } from 'node:crypto'
import { Kysely, PostgresAdapter, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from 'kysely'
import pg from 'pg'
import { ConfigError } from '../config/settings-reader.ts'
import type { Log } from '../logging/log.ts'
import type { Engine, Tx } from './engine.ts'
import { migrate } from './migrate.ts'
import {
  isLostStatement,
  isReadOnly,
  isRefusedParameter,
  isUnanswered,
  isUnavailable,
  isUniqueViolation,
} from './postgres-errors.ts'
import type { Tables } from './tables.ts'

// The server gives up first, so that its connection stays usable; ours is for a server that does not answer at all.
const CLIENT_LIMITS: pg.PoolConfig = { max: 10, connectionTimeoutMillis: 1500, query_timeout: 1900 }
const STATEMENT_TIMEOUT_MS = 1500
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000
const SERVER_LIMITS: pg.PoolConfig = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
}
// The same limits for one transaction, in the round trip of its `begin`.
const BEGIN_WITH_LIMITS = `begin;
  set local statement_timeout = ${STATEMENT_TIMEOUT_MS};
  set local idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_TIMEOUT_MS}`

export async function openPostgres(url: string, log: Log): Promise<Engine> {
  await migrateUnderLock(url, log).catch(explainPooling)
  const { pool, isPooled } = await connectPool(url, log)
  const query = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: givingUpOnce(pool, isPooled) }) })
  if (isPooled) await checkPooler(query, log)
  let keepsStatements = true

  return {
    name: 'postgres',
    query,
    // The time at which the statement arrived: the same wherever one statement uses it.
    now: sql<number>`(extract(epoch from statement_timestamp()) * 1000)::bigint`,
    // As an array it is looked up in the order of the index, in which every instance then takes its locks.
    isAmong: (column, texts) => sql`${sql.ref(column)} = any(array(select json_array_elements_text(${texts}::json)))`,
    jsonEntries: (object) => sql`json_each_text(${object}::json)`,
    prepare({ sql: compiled }, { skipsWalFlush = false } = {}) {
      const text = skipsWalFlush ? withoutWalFlush(compiled) : compiled
      // A pooler may run it where another process has prepared the same name: that must be the same statement.
      const name = `portico-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
      return async (values) => {
        if (keepsStatements) {
          try {
            return (await pool.query({ name, text, values })).rows
          } catch (error) {
            if (!isLostStatement(error)) throw error
            giveUpNames()
          }
        }
        return (await pool.query({ text, values })).rows
      }
    },
    isWritable: sql<boolean>`current_setting('transaction_read_only') = 'off'`,
    isUniqueViolation,
    isUnavailable,
    checkDisk() {},
    async scrub() {},
    close: () => query.destroy(),
  }

  /** A statement that was not found has not run, so it may be run again without a name, and so may all others. */
  function giveUpNames() {
    if (keepsStatements) log.warn(NO_PREPARED_STATEMENTS)
    keepsStatements = false
  }
}

/**
 * Turns `synchronous_commit` off for the transaction of this statement and no other. It is part of the statement, because a
 * pooler may run the next statement of the same client elsewhere. The statement must return rows.
 */
function withoutWalFlush(statement: string): string {
  return `with written as (${statement}) select written.* from written, set_config('synchronous_commit', 'off', true)`
}

const NO_PREPARED_STATEMENTS =
  'the pooler before PostgreSQL does not keep prepared statements, so every statement is parsed anew: use PgBouncer 1.21 or later, with max_prepared_statements above 0'
const NO_STATEMENT_TIMEOUT =
  "PostgreSQL is behind a pooler and has no statement_timeout for this role: set one with `alter role … set statement_timeout = '1500ms'`"

/** Startup parameters limit all that a connection does. A pooler refuses or ignores them. */
async function connectPool(url: string, log: Log): Promise<{ pool: pg.Pool; isPooled: boolean }> {
  const limited = createPool(url, log, { ...CLIENT_LIMITS, ...SERVER_LIMITS })
  try {
    const { rows } = await limited.query<{ isLimited: boolean }>(
      `select setting::int = ${STATEMENT_TIMEOUT_MS} and source = 'client' as "isLimited" from pg_settings where name = 'statement_timeout'`,
    )
    return { pool: limited, isPooled: !rows[0]?.isLimited }
  } catch (error) {
    await limited.end()
    if (!isRefusedParameter(error)) throw error
    return { pool: createPool(url, log, CLIENT_LIMITS), isPooled: true }
  }
}

async function checkPooler(query: Kysely<Tables>, log: Log): Promise<void> {
  const limit = sql<{ setting: string }>`select setting from pg_settings where name = 'statement_timeout'`
  if ((await limit.execute(query)).rows[0]?.setting === '0') log.warn(NO_STATEMENT_TIMEOUT)
  await query
    .transaction()
    .execute((tx) => limit.execute(tx))
    .catch(explainPooling)
}

/**
 * A server that has left one query unanswered will not answer the rollback either. It fails at once then, so that the time
 * is waited for once and not twice; the connection is thrown away, which undoes the transaction. So is a connection to a
 * server that has become read-only: after a failover, a new one leads to the new primary.
 */
function givingUpOnce(pool: pg.Pool, isPooled: boolean): PostgresPool {
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect()
      let unanswered: unknown
      let isUsable = true
      const query = async (text: string, values: unknown[]) => {
        if (unanswered) throw unanswered
        return client.query(isPooled && text === 'begin' ? BEGIN_WITH_LIMITS : text, values).catch((error) => {
          if (isUnanswered(error)) unanswered = error
          if (isUnanswered(error) || isReadOnly(error)) isUsable = false
          throw error
        })
      }
      const release = (destroy?: boolean) => client.release(destroy || !isUsable)
      return { query, release } as unknown as PostgresPoolClient
    },
    end: () => pool.end(),
  }
}

// The key of Kysely's own lock, which earlier versions of Portico took.
const MIGRATION_LOCK = sql.lit('3853314791062309107')

/** Another instance may be migrating: waiting for it must not run into the time limits of ordinary queries. */
async function migrateUnderLock(url: string, log: Log): Promise<void> {
  const query = new Kysely<Tables>({ dialect: new MigrationDialect({ pool: createPool(url, log, { max: 1 }) }) })
  const lock = async (tx: Tx) => {
    await sql`set local statement_timeout = 0`.execute(tx)
    await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(tx)
  }
  await migrate(query, lock).finally(() => query.destroy())
}

/** Kysely's own lock belongs to a connection: behind a pooler it would stay with one that others use. */
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
  // An idle connection that breaks is replaced at its next use; without a listener it would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'lost a database connection'))
  // One that breaks while a transaction holds it fails the transaction's next query; that is where it is told.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

const BIGINT = 20

// Times and counts stay far below 2^53, so bigint columns can be plain numbers.
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === BIGINT && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format as 'text')
}

function explainPooling(error: unknown): never {
  if (error instanceof Error && /statement pooling/.test(error.message)) {
    throw new ConfigError(
      ['DATABASE_URL leads to a pooler that allows no transactions: set pool_mode = transaction there'],
      [],
    )
  }
  throw error
}
