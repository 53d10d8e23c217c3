import { type InsertQueryBuilder, type InsertResult, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Query } from '../database/engine.ts'
import type { Arg } from '../database/prepared.ts'
import type { Tables } from '../database/tables.ts'

/** A counter after its hits were added. Times are in milliseconds by the database's clock. */
export interface Hit {
  key: string
  hits: number
  resets_at: number
  now: number
}

export interface CounterRow {
  key: Arg<string> | string
  milliseconds: Arg<number> | number
  cost: Arg<number> | number
}

// Times of concurrent statements on one database differ by less.
const CLOCK_SLACK_MS = 60_000

/** Counts one hit, for limits that are part of a transaction. */
export function countHit(query: Query, now: Database['now'], key: string, milliseconds: number) {
  return countHits(query, now, [{ key, milliseconds, cost: 1 }])
}

/** Adds the cost of each row to its counter. The keys are distinct. */
export function countHits(query: Query, now: Database['now'], rows: CounterRow[]) {
  const insert = query
    .insertInto('rate_limits')
    .values((eb) =>
      rows.map(({ key, milliseconds, cost }) => ({ key, hits: cost, resets_at: eb(now, '+', milliseconds) })),
    )
  return addToCounters(insert, now)
}

/** Adds to any number of counters with one and the same statement. `costs` is a JSON object: the cost of each key. */
export function countHitsByKey(
  query: Query,
  { now, jsonEntries }: Pick<Database, 'now' | 'jsonEntries'>,
  costs: Arg<string>,
  milliseconds: number,
) {
  const insert = query
    .insertInto('rate_limits')
    .columns(['key', 'hits', 'resets_at'])
    // Without `where`, SQLite parses `on conflict` as a join constraint (https://sqlite.org/lang_upsert.html, section
    // 2.2).
    .expression(
      sql`select key, cast(value as integer), ${now} + ${sql.lit(milliseconds)} from ${jsonEntries(costs)} where true`,
    )
  return addToCounters(insert, now)
}

/** A window opens with its first hit and starts anew when its time is over. */
function addToCounters(insert: InsertQueryBuilder<Tables, 'rate_limits', InsertResult>, now: Database['now']) {
  return insert
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => {
        const isOver = eb.or([
          eb('rate_limits.resets_at', '<=', now),
          // Left by a clock that was ahead and has been set back. Concurrent statements differ by less than the slack.
          eb('rate_limits.resets_at', '>', eb('excluded.resets_at', '+', CLOCK_SLACK_MS)),
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
