import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

export const linkedSignIns: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('handshakes')
      .addColumn('key', 'text', (c) => c.primaryKey())
      .addColumn('provider', 'text', (c) => c.notNull())
      .addColumn('browser', 'text', (c) => c.notNull())
      .addColumn('code_verifier', 'text', (c) => c.notNull())
      .addColumn('nonce', 'text', (c) => c.notNull())
      .addColumn('return_to', 'text', (c) => c.notNull())
      .addColumn('expires_at', 'bigint', (c) => c.notNull())
      .execute()
    await db.schema.createIndex('handshakes_expiry').on('handshakes').column('expires_at').execute()

    await db.schema
      .createTable('linked_accounts')
      .addColumn('provider', 'text', (c) => c.notNull())
      .addColumn('issuer', 'text', (c) => c.notNull())
      .addColumn('subject', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('username', 'text', (c) => c.notNull())
      .addColumn('linked_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('linked_accounts_key', ['provider', 'issuer', 'subject'])
      .execute()
    await db.schema.createIndex('linked_accounts_user').on('linked_accounts').column('user_id').execute()
  },
}
