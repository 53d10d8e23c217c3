import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

export const savedContent: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('saved_content')
      .addColumn('name', 'text', (c) => c.primaryKey())
      .addColumn('value', 'text', (c) => c.notNull())
      .addColumn('saved_at', 'bigint', (c) => c.notNull())
      .execute()
  },
}
