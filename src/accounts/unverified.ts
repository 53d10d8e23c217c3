import type { Database } from '../database/database.ts'
import type { Query, Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import { recordEvent } from '../events/security-events.ts'
import type { ClientInfo } from '../http/client-info.ts'
import { insertUser, nameFromEmail } from './new-user.ts'
import type { AccountParts } from './parts.ts'

// The person who registered an unverified account has not proved to own its address. An attacker may have registered it
// before the account holder does (account pre-hijacking).

/** An account that is not verified this long after its last registration is deleted. */
export const UNVERIFIED_DAYS = 7

/**
 * Counts another registration of an unverified account, possibly by another person. Resets created_at, so the account
 * gets another seven days before the automatic clean-up. Otherwise an attacker could register the address again while
 * the second person still looks for the code.
 */
export async function countRegistration(query: Query, now: Database['now'], email: string): Promise<void> {
  await query
    .updateTable('users')
    .set((eb) => ({ registered_again: eb('registered_again', '+', 1), created_at: now }))
    .where('email', '=', email)
    .where('email_verified_at', 'is', null)
    .execute()
}

/** Decrements the count, for a registration that was the same as the first one. */
export async function uncountRegistration(query: Query, userId: string): Promise<void> {
  await query
    .updateTable('users')
    .set((eb) => ({ registered_again: eb('registered_again', '-', 1) }))
    .where('id', '=', userId)
    .where('email_verified_at', 'is', null)
    .where('registered_again', '>', 0)
    .execute()
}

/** Deletes an unverified account with its password, codes, sessions and names. Returns its id, which can be reused. */
export async function removeUnverified(tx: Tx, email: string): Promise<string | undefined> {
  const removed = await tx
    .deleteFrom('users')
    .where('email', '=', email)
    .where('email_verified_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return removed?.id
}

/**
 * Replaces an unverified account with a verified one, for the person who has just proved to own its mailbox. Only the
 * id and the address stay. The caller has locked the row.
 */
export async function claimUnverified(
  tx: Tx,
  { database: { now }, webhookEvents }: Pick<AccountParts, 'database' | 'webhookEvents'>,
  email: string,
  clientInfo: ClientInfo,
): Promise<UserRow> {
  const user = await insertUser(tx, now, {
    id: await removeUnverified(tx, email),
    email,
    passwordHash: null,
    authMethod: 'email',
    isVerified: true,
    firstName: nameFromEmail(email),
    lastName: '',
  })
  if (!user) throw new Error('another account has the address of a locked account')
  await recordEvent(tx, now, { type: 'account.created', userId: user.id, clientInfo })
  // The deletion has deleted an event that was not delivered.
  await webhookEvents.enqueue(tx, 'account.created', { userId: user.id, email })
  return user
}
