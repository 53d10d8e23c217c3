import type { Tx } from '../database/engine.ts'
import type { CodesTable, UserRow } from '../database/tables.ts'
import { LINK_LIFETIME_MS } from './codes.ts'
import type { AccountParts } from './parts.ts'

/**
 * Issues a code and writes the mail with it, both in one transaction. Past the limit of the recipient it does neither and
 * answers false: the code that was mailed before stays valid, so the owner's mailbox holds a link that works.
 */
export async function mailCode(
  tx: Tx,
  { codes, outbox, messages, mayMail }: AccountParts,
  user: UserRow,
  purpose: CodesTable['purpose'],
): Promise<boolean> {
  if (!(await mayMail(tx, user.email))) return false
  const code = await codes.issue(tx, user.id, purpose)
  const message = purpose === 'verification' ? messages.verificationCode(code) : messages.resetCode(user, code)
  await outbox.post(tx, user.email, message, { milliseconds: LINK_LIFETIME_MS })
  return true
}
