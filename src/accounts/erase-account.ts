import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import { DAY_MS } from '../lib/dates.ts'
import type { AccountParts } from './parts.ts'

// The mail that confirms the deletion is the last personal data of the account. The outbox deletes it when it cannot be
// delivered within a day.
const NOTICE_LIFETIME = { milliseconds: DAY_MS }

/**
 * Deletes a locked account with everything that belongs to it, and mails a notice. The caller calls
 * `database.eraseDeletedContent` after the transaction.
 */
export async function eraseAccount(
  tx: Tx,
  {
    database,
    outbox,
    messages,
    webhookEvents,
  }: Pick<AccountParts, 'database' | 'outbox' | 'messages' | 'webhookEvents'>,
  user: UserRow,
): Promise<void> {
  const addresses = new Set([user.email, ...(await formerAddresses(tx, database.now, user.id))])
  await tx.deleteFrom('users').where('id', '=', user.id).execute()
  await tx
    .deleteFrom('outbox')
    .where('recipient', 'in', [...addresses])
    .execute()
  await tx
    .deleteFrom('invitations')
    .where('email', 'in', [...addresses])
    .execute()
  // A stranger may have registered an address that is not verified, with a first name that is an advertisement.
  for (const address of user.email_verified_at !== null ? addresses : [])
    await outbox.enqueue(tx, address, messages.accountDeleted(user.first_name), NOTICE_LIFETIME)
  await webhookEvents.enqueue(tx, 'account.deleted', { userId: user.id })
}

/** The addresses that could still undo a change of the address. The account holder may read only these. */
async function formerAddresses(tx: Tx, now: Database['now'], userId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('email_undos')
    .select('old_email')
    .distinct()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .execute()
  return rows.map(({ old_email }) => old_email)
}
