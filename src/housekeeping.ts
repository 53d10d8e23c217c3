import { setTimeout } from 'node:timers/promises'
import { expressionBuilder, type RawBuilder, sql } from 'kysely'
import { LINK_LIFETIME_MS } from './accounts/codes.ts'
import { UNVERIFIED_DAYS } from './accounts/unverified.ts'
import { countActivity, isDeletablePeriod } from './database/activity-counts.ts'
import type { Clock } from './database/clock.ts'
import type { Database } from './database/database.ts'
import { deleteStaleInstances, type InstanceReport } from './database/instances.ts'
import type { Tables } from './database/tables.ts'
import { DAY_MS } from './lib/dates.ts'
import type { Log } from './logging/log.ts'
import { hasNoAccountOrInvitation } from './mail/outbox.ts'
import { type KeyRing, RELOAD_INTERVAL_MS } from './sessions/key-ring.ts'
import type { Tokens } from './sessions/tokens.ts'
import { excessDeliveries, forgetPreviousSecrets } from './webhooks/expired-deliveries.ts'

const BATCH_ROWS = 500
const BATCH_PAUSE_MS = 10
// A scan by primary key stops for this minute after it has read so many rows that have not expired.
const MAX_SCANNED_ROWS = 20_000

interface HousekeepingParts {
  database: Database
  keys: KeyRing
  clock: Clock
  tokens: Tokens
  instanceReport: InstanceReport
  log: Log
}

/**
 * Once a minute: loads new signing keys, measures the clock offset to the database, reports this process, counts
 * sign-ups and log-ins, and deletes expired rows. All instances may run this at the same time.
 */
export function startHousekeeping({ database, keys, clock, tokens, instanceReport, log }: HousekeepingParts) {
  const stopping = new AbortController()
  const scanPositions: ScanPositions = {}
  let currentRun: Promise<unknown> | undefined
  const timer = setInterval(() => {
    tokens.dropExpired()
    // A run may take longer than the interval, for example after a long downtime. Runs do not overlap: a run ends when
    // all of its tasks have ended, also after an error.
    currentRun ??= Promise.allSettled([
      keys.reload(),
      clock.measure(),
      instanceReport.write(),
      countActivity(database, stopping.signal),
      deleteExpiredRows(database, stopping.signal, scanPositions),
    ])
      .then((results) => {
        // An unavailable database fails all tasks. One line says so.
        const failed = results.find((result) => result.status === 'rejected')
        if (failed) log.error({ err: failed.reason }, 'housekeeping failed')
      })
      .finally(() => {
        currentRun = undefined
      })
  }, RELOAD_INTERVAL_MS)
  return {
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await currentRun
    },
  }
}

/** The last primary key that each scan has read. */
type ScanPositions = Partial<Record<keyof Tables, string>>

/** Deletes expired rows in batches. Each call continues the scans from `positions` and updates it. */
export async function deleteExpiredRows(
  database: Database,
  stopping?: AbortSignal,
  positions: ScanPositions = {},
): Promise<void> {
  const { now } = database
  const daysAgo = (days: number) => sql`${now} - ${days * DAY_MS}`
  const deletions: [table: keyof Tables, key: string[], isExpired: RawBuilder<unknown>][] = [
    ['users', ['id'], sql`email_verified_at is null and created_at < ${daysAgo(UNVERIFIED_DAYS)}`],
    ['codes', ['user_id', 'purpose'], sql`expires_at < ${now} and token_expires_at < ${now}`],
    // The link that confirms a change of the address works for an hour.
    ['email_changes', ['user_id'], sql`created_at < ${now} - ${LINK_LIFETIME_MS}`],
    ['email_undos', ['token_hash'], sql`expires_at < ${now}`],
    // Owners see for 30 days which invitations were used, and which were not.
    ['invitations', ['id'], sql`expires_at < ${daysAgo(30)}`],
    ['handshakes', ['key'], sql`expires_at < ${now}`],
    ['second_factor_challenges', ['key'], sql`expires_at < ${now}`],
    ['remembered_browsers', ['id'], sql`expires_at < ${now}`],
    ['used_challenges', ['key'], sql`expires_at < ${now}`],
    ['pictures', ['id'], sql`unused_since < ${daysAgo(1)}`],
    // Ended sessions are shown to the account holder for 30 days.
    ['sessions', ['id'], sql`revoked_at < ${daysAgo(30)}`],
    ['security_events', ['id'], sql`created_at < ${daysAgo(365)}`],
    // Mails that failed permanently stay for 30 days, so that the operator can see them.
    ['outbox', ['id'], sql`failed_at < ${daysAgo(30)}`],
    [
      'outbox',
      ['id'],
      sql`failed_at is not null and ${hasNoAccountOrInvitation(expressionBuilder<Tables, 'outbox'>())}`,
    ],
    ['webhook_deliveries', ['id'], sql`created_at < ${daysAgo(30)}`],
    ['activity_counts', ['period'], isDeletablePeriod(database)],
    // A refresh token lives for 30 days, so no valid token is signed with a key that was retired 31 days ago.
    ['signing_keys', ['kid'], sql`retired_at < ${daysAgo(31)}`],
  ]
  await forgetPreviousSecrets(database)
  await deleteStaleInstances(database)
  for (const isExcess of await excessDeliveries(database)) deletions.push(['webhook_deliveries', ['id'], isExcess])
  for (const [table, key, isExpired] of deletions) {
    while (!stopping?.aborted && (await deleteBatch(database, table, key, isExpired)) === BATCH_ROWS)
      await setTimeout(BATCH_PAUSE_MS)
  }
  await deleteByScan('sessions', 'id', sql`expires_at < ${daysAgo(30)}`)
  await deleteByScan('rate_limits', 'key', sql`resets_at < ${now}`)
  // Overwrites deleted content in the SQLite files, including content that an earlier call could not overwrite.
  if (!stopping?.aborted) await database.eraseDeletedContent()

  /**
   * Deletes expired rows of a table without an index on the expiry time. Each refresh of a session and each new window
   * of a counter moves the expiry time, and PostgreSQL would then have to write the index too (no heap-only update). So
   * the table is read in batches in the order of its primary key, and the next run continues after the last key.
   */
  async function deleteByScan(
    table: 'sessions' | 'rate_limits',
    key: string,
    isExpired: RawBuilder<unknown>,
  ): Promise<void> {
    for (let scanned = 0; scanned < MAX_SCANNED_ROWS && !stopping?.aborted; ) {
      const after = positions[table] ?? ''
      const { last, rows, expired } = await readBatch(database, table, key, after, isExpired)
      if (expired > 0) {
        await deleteBatch(
          database,
          table,
          [key],
          sql`${sql.ref(key)} > ${after} and ${sql.ref(key)} <= ${last} and ${isExpired}`,
        )
      }
      positions[table] = rows < BATCH_ROWS ? '' : last
      if (rows < BATCH_ROWS) return
      scanned += rows - expired
      await setTimeout(BATCH_PAUSE_MS)
    }
  }
}

/**
 * Reads the next batch of a table in key order: its last key, its number of rows, and how many of them have expired.
 */
async function readBatch(
  { query }: Database,
  table: keyof Tables,
  key: string,
  after: string,
  isExpired: RawBuilder<unknown>,
): Promise<{ last: string; rows: number; expired: number }> {
  const column = sql.ref(key)
  const batch = sql`(select * from ${sql.table(table)} where ${column} > ${after} order by ${column} limit ${BATCH_ROWS})`
  return query
    .selectFrom(batch.as('batch'))
    .select([
      sql<string>`max(${column})`.as('last'),
      sql<number>`count(*)`.as('rows'),
      sql<number>`count(case when ${isExpired} then 1 end)`.as('expired'),
    ])
    .executeTakeFirstOrThrow()
}

/** Deletes at most BATCH_ROWS rows, so that the statement stays below its timeout and releases its locks soon. */
async function deleteBatch(
  { query, name }: Database,
  table: keyof Tables,
  key: string[],
  isExpired: RawBuilder<unknown>,
): Promise<number> {
  const columns = sql.join(key.map((column) => sql.ref(column)))
  // Rows that another transaction has locked are left to the next run.
  const skipLocked = name === 'postgres' ? sql`for update skip locked` : sql``
  const { numAffectedRows = 0n } = await sql`
    with batch as materialized (select ${columns} from ${sql.table(table)} where ${isExpired} limit ${BATCH_ROWS} ${skipLocked})
    delete from ${sql.table(table)} where (${columns}) in (select ${columns} from batch)
  `.execute(query)
  return Number(numAffectedRows)
}
