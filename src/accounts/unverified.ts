import type { Database } from '../database/database.ts'
import type { Query, Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import type { Origin } from '../sessions/client-info.ts'
import { recordEvent } from '../sessions/security-events.ts'
import { insertUser, nameFromEmail } from './new-user.ts'

// Nobody has proved to own the address of an unverified account: a stranger may have registered it to be there first.

/**
 * Counts that an unverified account was registered once more, maybe by somebody else. Its seven days begin anew, so that it
 * is not removed and registered by a stranger while the second person looks for the code.
 */
export async function countRegistration(query: Query, now: Database['now'], email: string): Promise<void> {
  await query
    .updateTable('users')
    .set((eb) => ({ registered_again: eb('registered_again', '+', 1), created_at: now }))
    .where('email', '=', email)
    .where('email_verified_at', 'is', null)
    .execute()
}

/** Takes back one such count, of a registration that turned out to be the same as the first. */
export async function uncountRegistration(query: Query, userId: string): Promise<void> {
  await query
    .updateTable('users')
    .set((eb) => ({ registered_again: eb('registered_again', '-', 1) }))
    .where('id', '=', userId)
    .where('email_verified_at', 'is', null)
    .where('registered_again', '>', 0)
    .execute()
}

/** Removes an unverified account with its password, codes, sessions and names. Answers its id, which its owner may keep. */
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
 * Gives an unverified account to the person who has just proved to own its mailbox. Of all that was chosen at
 * registration only the id stays. The caller holds the row.
 */
export async function claimUnverified(tx: Tx, now: Database['now'], email: string, origin: Origin): Promise<UserRow> {
  const user = await insertUser(tx, now, {
    id: await removeUnverified(tx, email),
    email,
    passwordHash: null,
    authMethod: 'email',
    isVerified: true,
    firstName: nameFromEmail(email),
    lastName: '',
  })
  if (!user) throw new Error('another account has the address of one that was held')
  await recordEvent(tx, now, { type: 'account.created', userId: user.id, origin })
  return user
}
