import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Only what has ended is looked for by when it ended. While the index held the living sessions too, which are nearly all,
 * SQLite took it for a short way to a few of them, and read every one.
 */
export const endedSessions: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.dropIndex('sessions_revoked').execute()
    await db.schema
      .createIndex('sessions_revoked')
      .on('sessions')
      .column('revoked_at')
      .where('revoked_at', 'is not', null)
      .execute()
  },
}
