import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What housekeeping looks for every minute, without reading the whole table. */
export const timesOfEnding: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.createIndex('codes_expiry').on('codes').column('expires_at').execute()
    await db.schema.createIndex('security_events_age').on('security_events').column('created_at').execute()
  },
}
