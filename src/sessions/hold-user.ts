import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import { unauthenticated } from '../http/refusal.ts'
import type { Caller } from '../http/request.ts'

/**
 * The account as it is at this moment, held until the transaction ends; undefined when it has been deleted since. Two
 * transactions on one account wait for each other here.
 */
export async function holdUser(tx: Tx, by: { id: string } | { email: string }): Promise<UserRow | undefined> {
  const [column, value] = 'id' in by ? (['id', by.id] as const) : (['email', by.email] as const)
  return tx.selectFrom('users').selectAll().where(column, '=', value).forNoKeyUpdate().executeTakeFirst()
}

/** The caller's account, held, and a session that has not been ended while it waited for its turn: else it decides nothing. */
export async function holdCaller(tx: Tx, now: Database['now'], { userId, sessionId }: Caller): Promise<UserRow> {
  const user = await holdUser(tx, { id: userId })
  const session = await tx
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', sessionId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  if (!user || !session) throw unauthenticated()
  return user
}
