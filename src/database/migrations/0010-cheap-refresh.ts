import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Tables } from '../tables.ts'

// While a rolling restart may still be going on, instances of the previous version may run.
const MAX_ROLLING_RESTART_MS = 60 * 60_000

/**
 * Lets PostgreSQL use heap-only tuples (https://www.postgresql.org/docs/current/storage-hot.html): an update writes to
 * no index if no indexed column changes and the page of the row has room. The two dropped indexes were on times that
 * change with each refresh and with each window of a rate limit. The clean-up reads these two tables by primary key
 * instead.
 *
 * No step blocks writes for long, and instances of the previous version go on working.
 */
export const cheapRefresh: Migration = {
  async up(db: Kysely<Tables>) {
    await db.schema.dropIndex('sessions_expiry').execute()
    await db.schema.dropIndex('rate_limits_expiry').execute()
    if (db.getExecutor().adapter instanceof PostgresAdapter) {
      await sql`alter table sessions set (fillfactor = 70)`.execute(db)
      await sql`alter table rate_limits set (fillfactor = 80)`.execute(db)
    }

    await db.schema
      .alterTable('signing_keys')
      .addColumn('macs_from', 'bigint', (c) => c.notNull().defaultTo(0))
      .execute()
    // If there are sessions, instances of the previous version may be serving them. These cannot verify a MAC.
    await db
      .updateTable('signing_keys')
      .set({ macs_from: Date.now() + MAX_ROLLING_RESTART_MS })
      .where((eb) => eb.exists(eb.selectFrom('sessions').select('id')))
      .execute()
  },
}
