import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Adds nullable columns and a table only, so that instances of the previous version go on working. */
export const sessionOriginsAndUnlinkedIdentities: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('sessions').addColumn('client_ip', 'text').execute()

    await db.schema
      .alterTable('handshakes')
      .addColumn('user_id', 'text', (c) => c.references('users.id').onDelete('cascade'))
      .execute()
    await db.schema.alterTable('handshakes').addColumn('session_id', 'text').execute()
    await db.schema.createIndex('handshakes_user').on('handshakes').column('user_id').execute()

    await db.schema
      .createTable('unlinked_identities')
      .addColumn('provider', 'text', (c) => c.notNull())
      .addColumn('issuer', 'text', (c) => c.notNull())
      .addColumn('subject', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('unlinked_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('unlinked_identities_key', ['provider', 'issuer', 'subject', 'user_id'])
      .execute()
    await db.schema.createIndex('unlinked_identities_user').on('unlinked_identities').column('user_id').execute()
  },
}
