import type { Tx } from '../database/engine.ts'
import type { CodesTable, UserRow } from '../database/tables.ts'
import { CODE_LIFETIME } from './codes.ts'
import type { AccountParts } from './parts.ts'

/** Issues a code and puts it into the mail; neither outlives the other. */
export async function mailCode(
  tx: Tx,
  { codes, outbox, messages }: AccountParts,
  user: UserRow,
  purpose: CodesTable['purpose'],
): Promise<void> {
  const code = await codes.issue(tx, user.id, purpose)
  const write = purpose === 'verification' ? messages.verificationCode : messages.resetCode
  await outbox.post(tx, user.email, write(user, code), { milliseconds: CODE_LIFETIME })
}
