import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Adds a token for mailed links, a count of consecutive wrong codes, and a count of repeated registrations. */
export const linksInMails: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('codes').addColumn('token_hash', 'text').execute()
    await db.schema
      .alterTable('codes')
      .addColumn('token_expires_at', 'bigint', (c) => c.notNull().defaultTo(0))
      .execute()
    await db.schema.createIndex('codes_token').on('codes').column('token_hash').unique().execute()
    await db.schema
      .alterTable('users')
      .addColumn('registered_again', 'integer', (c) => c.notNull().defaultTo(0))
      .execute()
    await db.schema
      .alterTable('users')
      .addColumn('wrong_codes', 'integer', (c) => c.notNull().defaultTo(0))
      .execute()
    // Earlier versions did not record a second registration, so any unverified account may have had one.
    await sql`update users set registered_again = 1 where email_verified_at is null`.execute(db)
  },
}
