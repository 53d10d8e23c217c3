import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Tables } from '../tables.ts'

/**
 * Settings of the site that change at run time, and invitations. Adds tables only, so that instances of the previous
 * version go on working. Such an instance registers everybody, in every mode of the registration.
 */
export const registration: Migration = {
  async up(db: Kysely<Tables>) {
    await db.schema
      .createTable('site_settings')
      .addColumn('name', 'text', (c) => c.primaryKey())
      .addColumn('value', 'text', (c) => c.notNull())
      .addColumn('changed_at', 'bigint', (c) => c.notNull())
      .execute()

    await db.schema
      .createTable('invitations')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('email', 'text', (c) => c.notNull().unique())
      .addColumn('token_hash', 'text', (c) => c.notNull().unique())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('expires_at', 'bigint', (c) => c.notNull())
      .addColumn('created_by', 'text')
      .addColumn('user_id', 'text', (c) => c.references('users.id').onDelete('cascade'))
      .addColumn('used_at', 'bigint')
      .addColumn('revoked_at', 'bigint')
      .execute()
    await db.schema.createIndex('invitations_order').on('invitations').columns(['created_at', 'id']).execute()
    await db.schema.createIndex('invitations_expiry').on('invitations').column('expires_at').execute()
    await db.schema.createIndex('invitations_user').on('invitations').column('user_id').execute()
  },
}
