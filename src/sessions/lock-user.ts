import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import { unauthenticated } from '../http/refusal.ts'
import type { Caller } from '../http/request.ts'

/**
 * The account as it is at this moment, held until the transaction ends; undefined when it has been deleted since. Two
 * transactions on one account wait for each other here.
 */
export async function lockUser(tx: Tx, by: { id: string } | { email: string }): Promise<UserRow | undefined> {
  const [column, value] = 'id' in by ? (['id', by.id] as const) : (['email', by.email] as const)
  return tx.selectFrom('users').selectAll().where(column, '=', value).forNoKeyUpdate().executeTakeFirst()
}

/** The account and the session of it that does something. */
type Acting = Pick<Caller, 'userId' | 'sessionId'>

/** The account of a session that still lives, held; undefined when either has ended while this waited for its turn. */
export async function lockSessionOwner(
  tx: Tx,
  now: Database['now'],
  { userId, sessionId }: Acting,
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

/** The caller's account, held. Refused when the session has been ended meanwhile. */
export async function lockCaller(tx: Tx, now: Database['now'], caller: Acting): Promise<UserRow> {
  const user = await lockSessionOwner(tx, now, caller)
  if (!user) throw unauthenticated()
  return user
}
