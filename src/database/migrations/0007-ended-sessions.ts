import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Makes the index on `revoked_at` a partial one, without active sessions (`revoked_at is null`). Nearly all sessions
 * are active. With them in the index, SQLite's planner chose it for queries for active sessions, and read all of these.
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
