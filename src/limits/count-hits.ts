import { type InsertQueryBuilder, type InsertResult, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Query } from '../database/engine.ts'
import type { Arg } from '../database/prepared.ts'
import type { Tables } from '../database/tables.ts'

/** The row of a counter after the hits were added. Times are milliseconds of the database's clock. */
export interface Hit {
  key: string
  hits: number
  resets_at: number
  now: number
}

export interface CounterRow {
  key: Arg<string> | string
  windowMs: Arg<number> | number
  cost: Arg<number> | number
}

// The clock readings of concurrent statements on one database differ by less than this.
const MAX_CLOCK_SKEW_MS = 60_000

/** Counts one hit, for limits that are part of a transaction. */
export function countHit(query: Query, now: Database['now'], key: string, windowMs: number) {
  return countHits(query, now, [{ key, windowMs, cost: 1 }])
}

/** Adds the cost of each row to its counter. The keys are distinct. */
export function countHits(query: Query, now: Database['now'], rows: CounterRow[]) {
  const insert = query
    .insertInto('rate_limits')
    .values((eb) => rows.map(({ key, windowMs, cost }) => ({ key, hits: cost, resets_at: eb(now, '+', windowMs) })))
  return addToCounters(insert, now)
}

/** Adds hits to any number of counters with one prepared statement. `costs` is a JSON object that maps keys to hits. */
export function countHitsByKey(
  query: Query,
  { now, jsonEntries }: Pick<Database, 'now' | 'jsonEntries'>,
  costs: Arg<string>,
  windowMs: number,
) {
  const insert = query
    .insertInto('rate_limits')
    .columns(['key', 'hits', 'resets_at'])
    // Without `where`, SQLite parses `on conflict` as a join constraint (https://sqlite.org/lang_upsert.html, section
    // 2.2).
    .expression(
      sql`select key, cast(value as integer), ${now} + ${sql.lit(windowMs)} from ${jsonEntries(costs)} where true`,
    )
  return addToCounters(insert, now)
}

/** The window is fixed: it starts with the first hit, and the first hit after its end starts the next window. */
function addToCounters(insert: InsertQueryBuilder<Tables, 'rate_limits', InsertResult>, now: Database['now']) {
  return insert
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => {
        const isOver = eb.or([
          eb('rate_limits.resets_at', '<=', now),
          // The window was started by a clock that was ahead and has since been set back.
          eb('rate_limits.resets_at', '>', eb('excluded.resets_at', '+', MAX_CLOCK_SKEW_MS)),
        ])
        return {
          hits: eb
            .case()
            .when(isOver)
            .then(eb.ref('excluded.hits'))
            .else(eb('rate_limits.hits', '+', eb.ref('excluded.hits')))
            .end(),
          resets_at: eb
            .case()
            .when(isOver)
            .then(eb.ref('excluded.resets_at'))
            .else(eb.ref('rate_limits.resets_at'))
            .end(),
        }
      }),
    )
    .returning(['rate_limits.key', 'rate_limits.hits', 'rate_limits.resets_at', now.as('now')])
}
