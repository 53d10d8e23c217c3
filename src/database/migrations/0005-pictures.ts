import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

export const pictures: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('pictures')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
      // SQLite accepts any type name, and stores a blob as a blob.
      .addColumn('webp', 'bytea', (c) => c.notNull())
      .addColumn('unused_since', 'bigint')
      .execute()
    await db.schema.createIndex('pictures_user').on('pictures').column('user_id').execute()
    await db.schema.createIndex('pictures_unused').on('pictures').column('unused_since').execute()
  },
}
