import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Tables } from '../tables.ts'

/**
 * Counts of sign-ups and log-ins, the processes that serve, and an index of the mails that have failed. Adds two tables
 * and an index. Instances of the previous version write no row of the two tables: their sign-ups and log-ins are
 * counted, and they are not listed.
 */
export const health: Migration = {
  async up(db: Kysely<Tables>) {
    await db.schema
      .createTable('activity_counts')
      .addColumn('period', 'integer', (c) => c.primaryKey())
      .addColumn('sign_ups', 'integer', (c) => c.notNull())
      .addColumn('log_ins', 'integer', (c) => c.notNull())
      .execute()

    await db.schema
      .createTable('instances')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('version', 'text', (c) => c.notNull())
      .addColumn('host', 'text', (c) => c.notNull())
      .addColumn('started_at', 'bigint', (c) => c.notNull())
      .addColumn('seen_at', 'bigint', (c) => c.notNull())
      .addColumn('requests', 'integer', (c) => c.notNull())
      .addColumn('errors', 'integer', (c) => c.notNull())
      .addColumn('hash_queue', 'integer', (c) => c.notNull())
      .addColumn('hash_capacity', 'integer', (c) => c.notNull())
      .execute()

    await db.schema
      .createIndex('outbox_failed')
      .on('outbox')
      .columns(['failed_at', 'id'])
      .where('failed_at', 'is not', null)
      .execute()
  },
}
