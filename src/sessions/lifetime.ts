import { type RawBuilder, sql } from 'kysely'

/**
 * The time at which a session expires: 30 days after it was last refreshed or extended (expires_at), and at most
 * SESSION_LIFETIME after it began. Every statement that authenticates a request by its session, ends a session by its
 * id or lists sessions uses this expression. It applies also to sessions that began before the setting existed or was
 * lowered.
 *
 * Two functions test `expires_at` only. `lockSessionAccount` repeats a check that the session has passed in this
 * request or, for a sign-in that is being linked, at the start of the handshake (`oauth/handshakes.ts`). `endSessions`
 * also revokes sessions that only SESSION_LIFETIME has ended, so that they do not become active again when the setting
 * is raised.
 */
export function endOfSession(lifetimeMs: number): RawBuilder<number> {
  const latest = sql`sessions.created_at + ${sql.lit(lifetimeMs)}`
  return sql<number>`case when sessions.expires_at < ${latest} then sessions.expires_at else ${latest} end`
}
