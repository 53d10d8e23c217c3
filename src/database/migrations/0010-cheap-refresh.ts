import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Tables } from '../tables.ts'

// Longer than a rolling restart takes.
const OLD_INSTANCES_MAY_RUN_MS = 60 * 60_000

/**
 * PostgreSQL updates a row without touching any index when no indexed column changes and the page of the row has room: a
 * heap-only tuple (HOT). The two indexes dropped here held a time that changes with every refresh and with every window of
 * a rate limit; housekeeping walks these two tables by primary key instead. Nothing here blocks writes for long, and an
 * instance of the version before goes on working beside it.
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
    // Where there are sessions, instances of the version before may serve them, which cannot verify a MAC.
    await db
      .updateTable('signing_keys')
      .set({ macs_from: Date.now() + OLD_INSTANCES_MAY_RUN_MS })
      .where((eb) => eb.exists(eb.selectFrom('sessions').select('id')))
      .execute()
  },
}
