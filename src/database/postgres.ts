import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from 'kysely'
import pg from 'pg'
import type { Log } from '../log.ts'
import type { Engine } from './engine.ts'
import { migrate } from './migrate.ts'
import type { Tables } from './tables.ts'

// The server gives up first, so that its connection stays usable; ours is for a server that does not answer at all.
const TIME_LIMITS: pg.PoolConfig = {
  max: 10,
  connectionTimeoutMillis: 1500,
  statement_timeout: 1500,
  query_timeout: 1900,
  idle_in_transaction_session_timeout: 10_000,
}

export async function openPostgres(url: string, log: Log): Promise<Engine> {
  await migratePatiently(url, log)
  const pool = createPool(url, log, TIME_LIMITS)
  const query = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: givingUpOnce(pool) }) })
  let prepared = 0

  return {
    name: 'postgres',
    query,
    // The time at which the statement arrived: the same wherever one statement uses it.
    now: sql<number>`(extract(epoch from statement_timestamp()) * 1000)::bigint`,
    // As an array it is looked up in the order of the index, in which every instance then takes its locks.
    isAmong: (column, texts) => sql`${sql.ref(column)} = any(array(select json_array_elements_text(${texts}::json)))`,
    prepare({ sql: text }) {
      const name = `portico-${++prepared}`
      return async (values) => (await pool.query({ name, text, values })).rows
    },
    isUniqueViolation: (error) => codeOf(error) === '23505',
    isUnavailable,
    checkDisk() {},
    async scrub() {},
    close: () => query.destroy(),
  }
}

/**
 * A server that has left one query unanswered will not answer the rollback either. It fails at once then, so that the time
 * is waited for once and not twice; the connection is thrown away, which undoes the transaction.
 */
function givingUpOnce(pool: pg.Pool): PostgresPool {
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect()
      let unanswered: unknown
      const query = async (text: string, values: unknown[]) => {
        if (unanswered) throw unanswered
        return client.query(text, values).catch((error) => {
          if (isUnanswered(error)) unanswered = error
          throw error
        })
      }
      const release = (destroy?: boolean) => client.release(destroy || unanswered !== undefined)
      return { query, release } as unknown as PostgresPoolClient
    },
    end: () => pool.end(),
  }
}

/** Another instance may be migrating: waiting for it must not run into the time limits of ordinary queries. */
async function migratePatiently(url: string, log: Log): Promise<void> {
  const query = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: createPool(url, log, { max: 1 }) }) })
  await migrate(query).finally(() => query.destroy())
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

// Connection trouble by class, no such database or none that takes connections, too many connections, shutting down,
// cancelled by time-out, read-only after a failover, given up in favour of another transaction.
const UNAVAILABLE =
  /^(08...|3D000|55000|40P01|40001|53...|57P0.|57014|25006|ECONN.*|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)$/
const UNAVAILABLE_WORDS = /timeout|terminated|not queryable/i

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError && error.errors.some(isUnavailable)) return true
  return UNAVAILABLE.test(codeOf(error)) || (codeOf(error) === '' && UNAVAILABLE_WORDS.test(error.message))
}

function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
