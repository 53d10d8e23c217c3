import type { Tx } from '../database/engine.ts'
import type { CodesTable, UserRow } from '../database/tables.ts'
import { LINK_LIFETIME_MS } from './codes.ts'
import type { AccountParts } from './parts.ts'

/**
 * Issues a code and adds its mail to the outbox, in the caller's transaction. When the recipient limit is exceeded,
 * does neither and returns false: the code of the previous mail stays valid, so the link in the owner's mailbox still
 * works.
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
