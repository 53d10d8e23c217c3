import { setTimeout } from 'node:timers/promises'
import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { Log } from '../logging/log.ts'
import type { Database } from './database.ts'
import type { Tables } from './tables.ts'

/** The tables whose rows are sent by workers. All have `id`, `created_at`, `due_at` and `attempts`. */
type QueueTable = 'outbox' | 'webhook_deliveries'
type Row<Table extends QueueTable> = Selectable<Tables[Table]> & { id: string; created_at: number }

export interface Queue<Table extends QueueTable, Result> {
  table: Table
  /** The name of the table in the log. */
  title: string
  /** How many rows are sent at once. */
  concurrency: number
  /** The condition for due rows to be sent. */
  isDeliverable: RawBuilder<SqlBool>
  beforeClaim?(): Promise<unknown>
  send(row: Row<Table>): Promise<Result>
  /** Stores that a row was sent. */
  markSent(row: Row<Table>, result: Result): Promise<unknown>
  /** Stores that an attempt failed, and when the next one is due. */
  markFailed(row: Row<Table>, error: unknown): Promise<unknown>
}

export interface LeaseWorker {
  /** Reads the table now instead of at the next poll. */
  wake(): void
  /** Resolves when every due row has been attempted. */
  idle(): Promise<void>
  /** Graceful shutdown: waits up to STOP_TIMEOUT_MS for rows in flight, and starts no more. */
  stop(): Promise<void>
}

const POLL_INTERVAL_MS = 5000
// An instance holds a lease on each row that it sends. If its process ends, another one sends the row after this time.
const LEASE_MS = 2 * 60_000
const LEASE_RENEWAL_MS = LEASE_MS / 4
const STOP_TIMEOUT_MS = 3000

/** Sends the rows of a table when they are due. Several instances may run a worker on the same database. */
export function startLeaseWorker<Table extends QueueTable, Result>(
  database: Database,
  log: Log,
  queue: Queue<Table, Result>,
): LeaseWorker {
  let isStopped = false
  let isWakeRequested = false
  let running: Promise<void> | undefined
  const inFlight = new Set<string>()
  const table = sql.table(queue.table)
  const pollTimer = setInterval(wake, POLL_INTERVAL_MS)
  const renewalTimer = setInterval(renewLeases, LEASE_RENEWAL_MS)
  wake()

  function wake() {
    isWakeRequested = true
    if (isStopped) return
    running ??= run().finally(() => {
      running = undefined
      if (isWakeRequested) wake()
    })
  }

  async function run() {
    while (isWakeRequested && !isStopped) {
      isWakeRequested = false
      try {
        await sendDue()
      } catch (error) {
        log.error({ err: error }, `could not read ${queue.title}`)
      }
    }
  }

  async function sendDue() {
    let rows: Row<Table>[]
    let isAnyAttempted = false
    do {
      rows = await claim()
      await Promise.all(rows.map(attempt))
      isAnyAttempted ||= rows.length > 0
    } while (rows.length === queue.concurrency && !isStopped)
    // A sent row may have been the last one about a deleted account. Truncating the WAL removes its bytes from the
    // database files.
    if (isAnyAttempted) await database.eraseDeletedContent()
  }

  /**
   * Takes leases on due rows in one statement, so that no two instances send the same row. On PostgreSQL, `FOR UPDATE
   * SKIP LOCKED` skips rows that another instance is claiming. On SQLite, writers are serialized.
   */
  async function claim(): Promise<Row<Table>[]> {
    const { query, now, name } = database
    await queue.beforeClaim?.()
    const skipLocked = name === 'postgres' ? sql`for update skip locked` : sql``
    const { rows } = await sql<Row<Table>>`
      update ${table} set attempts = attempts + 1, due_at = ${now} + ${LEASE_MS}
      where id in (
        select id from ${table} where ${queue.isDeliverable} and due_at <= ${now}
        order by due_at limit ${queue.concurrency} ${skipLocked}
      )
      returning *`.execute(query)
    // RETURNING has no order.
    return rows.sort((a, b) => a.created_at - b.created_at)
  }

  /** Extends the leases of rows in flight, so that no other instance sends them while the recipient is slow. */
  function renewLeases() {
    if (inFlight.size === 0) return
    sql`update ${table} set due_at = ${database.now} + ${LEASE_MS} where id in (${sql.join([...inFlight])})`
      .execute(database.query)
      .catch((error) => log.error({ err: error }, `could not renew the leases in ${queue.title}`))
  }

  async function attempt(row: Row<Table>) {
    inFlight.add(row.id)
    let result: Result
    try {
      result = await queue.send(row)
    } catch (error) {
      inFlight.delete(row.id)
      await queue.markFailed(row, error)
      return
    }
    inFlight.delete(row.id)
    await queue.markSent(row, result)
  }

  return {
    wake,
    async idle() {
      while (running) await running
    },
    async stop() {
      isStopped = true
      clearInterval(pollTimer)
      clearInterval(renewalTimer)
      // Shutdown does not wait for an unresponsive recipient. The row is sent again after its lease has expired.
      await Promise.race([running, setTimeout(STOP_TIMEOUT_MS, undefined, { ref: false })])
    },
  }
}

/**
 * The condition for a row that an instance may be sending. A claim sets `due_at` to LEASE_MS after the time of the
 * claim. A failed row whose next attempt is due within this range also meets the condition, because its columns look
 * the same.
 *
 * The range is twice LEASE_MS. On PostgreSQL, `now` is the time at which the statement began. The statement may then
 * wait for the row lock of a worker that claims the row at a later time.
 */
export function mayBeInFlight({ now }: Pick<Database, 'now'>) {
  return sql<SqlBool>`(attempts > 0 and due_at > ${now} and due_at <= ${now} + ${2 * LEASE_MS})`
}
