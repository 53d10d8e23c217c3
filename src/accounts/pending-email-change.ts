import type { Database } from '../database/database.ts'
import type { Query, Tx } from '../database/engine.ts'
import { LINK_LIFETIME_MS } from './codes.ts'

/** The address that an account is about to change to, while a mailed link can confirm it. */
export async function pendingEmailChange(
  query: Query | Tx,
  now: Database['now'],
  userId: string,
): Promise<{ newEmail: string; createdAt: number } | undefined> {
  const row = await query
    .selectFrom('email_changes')
    .select(['new_email', 'created_at'])
    .where('user_id', '=', userId)
    .where((eb) => eb('created_at', '>', eb(now, '-', LINK_LIFETIME_MS)))
    .executeTakeFirst()
  return row && { newEmail: row.new_email, createdAt: row.created_at }
}
