import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import { USER_COLUMNS, type UserRow } from '../database/tables.ts'
import { unauthenticated } from '../http/refusal.ts'
import type { Caller } from '../http/request.ts'

/**
 * Locks the row of an account until the transaction ends and returns its current state, or undefined when there is no
 * such account. PostgreSQL locks the row FOR NO KEY UPDATE, so other transactions can still insert rows that refer to
 * it. On SQLite, `begin immediate` has already excluded other writers.
 */
export async function lockUser(tx: Tx, by: { id: string } | { email: string }): Promise<UserRow | undefined> {
  const [column, value] = 'id' in by ? (['id', by.id] as const) : (['email', by.email] as const)
  return tx.selectFrom('users').select(USER_COLUMNS).where(column, '=', value).forNoKeyUpdate().executeTakeFirst()
}

type SessionIds = Pick<Caller, 'userId' | 'sessionId'>

/** Locks the account of a session. Returns undefined when the session is not active or the account is deleted. */
export async function lockSessionAccount(
  tx: Tx,
  now: Database['now'],
  { userId, sessionId }: SessionIds,
): Promise<UserRow | undefined> {
  const user = await lockUser(tx, { id: userId })
  const session = await tx
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', sessionId)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return session && user
}

/** Locks the caller's account. Throws when the session has ended since the request was authenticated. */
export async function lockCaller(tx: Tx, now: Database['now'], caller: SessionIds): Promise<UserRow> {
  const user = await lockSessionAccount(tx, now, caller)
  if (!user) throw unauthenticated()
  return user
}
