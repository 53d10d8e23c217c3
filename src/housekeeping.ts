import { setTimeout } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { Clock } from './database/clock.ts'
import type { Database } from './database/database.ts'
import type { Tables } from './database/tables.ts'
import type { Log } from './logging/log.ts'
import { type KeyRing, RELOAD_INTERVAL_MS } from './sessions/key-ring.ts'
import type { Tokens } from './sessions/tokens.ts'

const BATCH_ROWS = 500
const BATCH_PAUSE_MS = 10
// How many rows that stay are read in a minute, of a table that is walked.
const MOST_KEPT_PER_ROUND = 20_000
const DAY_MS = 24 * 60 * 60_000

/** Once a minute: learns of new keys, compares clocks, and lets go of what has served its time. Instances may all do it at once. */
export function startHousekeeping(database: Database, keys: KeyRing, clock: Clock, tokens: Tokens, log: Log) {
  const stopping = new AbortController()
  const places: Places = {}
  let round: Promise<unknown> | undefined
  const timer = setInterval(() => {
    tokens.dropExpired()
    // After a long pause there may be more to do than fits into a minute.
    round ??= Promise.all([keys.reload(), clock.measure(), tidy(database, stopping.signal, places)])
      .catch((error) => log.error({ err: error }, 'housekeeping failed'))
      .finally(() => {
        round = undefined
      })
  }, RELOAD_INTERVAL_MS)
  return {
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await round
    },
  }
}

/** How far each walk has come: the last key that was looked at. */
type Places = Partial<Record<keyof Tables, string>>

export async function tidy(database: Database, stopping?: AbortSignal, places: Places = {}): Promise<void> {
  const { now } = database
  const daysAgo = (days: number) => sql`${now} - ${days * DAY_MS}`
  const chores: [table: keyof Tables, key: string[], isOver: RawBuilder<unknown>][] = [
    ['users', ['id'], sql`email_verified_at is null and created_at < ${daysAgo(7)}`],
    ['codes', ['user_id', 'purpose'], sql`expires_at < ${now} and token_expires_at < ${now}`],
    ['handshakes', ['key'], sql`expires_at < ${now}`],
    ['pictures', ['id'], sql`unused_since < ${daysAgo(1)}`],
    // Ended sessions are shown to their owner for 30 days.
    ['sessions', ['id'], sql`revoked_at < ${daysAgo(30)}`],
    ['security_events', ['id'], sql`created_at < ${daysAgo(365)}`],
    // Mail that was given up stays a while for the operator to find.
    ['outbox', ['id'], sql`failed_at < ${daysAgo(30)}`],
    ['outbox', ['id'], sql`failed_at is not null and not exists (select 1 from users where email = recipient)`],
    // Nothing signed with a key outlives it by more than a refresh token's 30 days.
    ['signing_keys', ['kid'], sql`retired_at < ${daysAgo(31)}`],
  ]
  for (const [table, key, isOver] of chores) {
    while (!stopping?.aborted && (await deleteSome(database, table, key, isOver)) === BATCH_ROWS)
      await setTimeout(BATCH_PAUSE_MS)
  }
  await walk('sessions', 'id', sql`expires_at < ${daysAgo(30)}`)
  await walk('rate_limits', 'key', sql`resets_at < ${now}`)
  // Also what an earlier scrubbing could not get at.
  if (!stopping?.aborted) await database.scrub()

  /**
   * Rows whose end moves whenever they are used have no index by it: on PostgreSQL, such an index would have to be written at
   * every use. Their table is read a part at a time in the order of its key, and the next round goes on from there.
   */
  async function walk(table: 'sessions' | 'rate_limits', key: string, isOver: RawBuilder<unknown>): Promise<void> {
    for (let kept = 0; kept < MOST_KEPT_PER_ROUND && !stopping?.aborted; ) {
      const after = places[table] ?? ''
      const { last, rows, over } = await readPart(database, table, key, after, isOver)
      if (over > 0) {
        await deleteSome(
          database,
          table,
          [key],
          sql`${sql.ref(key)} > ${after} and ${sql.ref(key)} <= ${last} and ${isOver}`,
        )
      }
      places[table] = rows < BATCH_ROWS ? '' : last
      if (rows < BATCH_ROWS) return
      kept += rows - over
      await setTimeout(BATCH_PAUSE_MS)
    }
  }
}

/** The last key of the next part of a table, how many rows the part has, and how many of them are over. */
async function readPart(
  { query }: Database,
  table: keyof Tables,
  key: string,
  after: string,
  isOver: RawBuilder<unknown>,
): Promise<{ last: string; rows: number; over: number }> {
  const column = sql.ref(key)
  const part = sql`(select * from ${sql.table(table)} where ${column} > ${after} order by ${column} limit ${BATCH_ROWS})`
  return query
    .selectFrom(part.as('part'))
    .select([
      sql<string>`max(${column})`.as('last'),
      sql<number>`count(*)`.as('rows'),
      sql<number>`count(case when ${isOver} then 1 end)`.as('over'),
    ])
    .executeTakeFirstOrThrow()
}

/** A few at a time, however many there are: no statement runs into its time limit, and nobody waits long for the table. */
async function deleteSome(
  { query, name }: Database,
  table: keyof Tables,
  key: string[],
  isOver: RawBuilder<unknown>,
): Promise<number> {
  const columns = sql.join(key.map((column) => sql.ref(column)))
  // What somebody is using just now is left to the next round, rather than waited for.
  const unused = name === 'postgres' ? sql`for update skip locked` : sql``
  const { numAffectedRows = 0n } = await sql`
    with batch as materialized (select ${columns} from ${sql.table(table)} where ${isOver} limit ${BATCH_ROWS} ${unused})
    delete from ${sql.table(table)} where (${columns}) in (select ${columns} from batch)
  `.execute(query)
  return Number(numAffectedRows)
}
