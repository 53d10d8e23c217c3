import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Tables } from '../tables.ts'

/**
 * Webhooks and their deliveries. Adds two tables. Changes that instances of the previous version make cause no event.
 */
export const webhooks: Migration = {
  async up(db: Kysely<Tables>) {
    await db.schema
      .createTable('webhooks')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('url', 'text', (c) => c.notNull())
      .addColumn('secret', 'text', (c) => c.notNull())
      .addColumn('previous_secret', 'text')
      .addColumn('previous_until', 'bigint')
      .addColumn('events', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('disabled_at', 'bigint')
      .addColumn('failing_since', 'bigint')
      .addColumn('paused_until', 'bigint')
      .execute()

    await db.schema
      .createTable('webhook_deliveries')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('webhook_id', 'text', (c) => c.notNull().references('webhooks.id').onDelete('cascade'))
      .addColumn('type', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.references('users.id').onDelete('cascade'))
      .addColumn('payload', 'text', (c) => c.notNull())
      .addColumn('trace', 'text')
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
      .addColumn('due_at', 'bigint')
      .addColumn('status_code', 'integer')
      .addColumn('last_error', 'text')
      .addColumn('delivered_at', 'bigint')
      .execute()
    const indexes = {
      webhook_deliveries_due: ['due_at'],
      webhook_deliveries_log: ['webhook_id', 'created_at', 'id'],
      webhook_deliveries_age: ['created_at'],
      webhook_deliveries_user: ['user_id'],
    }
    for (const [name, columns] of Object.entries(indexes))
      await db.schema.createIndex(name).on('webhook_deliveries').columns(columns).execute()
  },
}
