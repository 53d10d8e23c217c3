import { type RawBuilder, sql } from 'kysely'

/**
 * The time at which a session expires: 30 days after it was last refreshed or extended (expires_at), and at most
 * SESSION_LIFETIME after it began. Every statement that authenticates a request by its session, ends one session or lists
 * sessions uses this expression. `lockCaller`, which repeats the check within a request, tests `expires_at` only. The
 * expression applies also to sessions that began before the setting existed or was lowered.
 */
export function endOfSession(lifetimeMs: number): RawBuilder<number> {
  const latest = sql`sessions.created_at + ${sql.lit(lifetimeMs)}`
  return sql<number>`case when sessions.expires_at < ${latest} then sessions.expires_at else ${latest} end`
}
