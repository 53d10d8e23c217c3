import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Indexes for the clean-up of every minute, which would otherwise read the whole tables. */
export const timesOfEnding: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.createIndex('codes_expiry').on('codes').column('expires_at').execute()
    await db.schema.createIndex('security_events_age').on('security_events').column('created_at').execute()
  },
}
