import type { Tx } from '../database/engine.ts'
import type { CodesTable, UserRow } from '../database/tables.ts'
import type { Message } from '../mail/message.ts'
import type { MailedCode } from '../mail/message-values.ts'
import type { Messages } from '../mail/messages.ts'
import { LINK_LIFETIME_MS } from './codes.ts'
import type { AccountParts } from './parts.ts'

/** The codes that are mailed to the address of the account. */
type Purpose = Exclude<CodesTable['purpose'], 'email-change'>

const MESSAGES: Record<Purpose, (messages: Messages, user: UserRow, code: MailedCode) => Message> = {
  verification: (messages, _user, code) => messages.verificationCode(code),
  reset: (messages, user, code) => messages.resetCode(user, code),
  'log-in': (messages, user, code) => messages.logInCode(user.first_name, code),
  reauthentication: (messages, user, code) => messages.reauthenticationCode(user.first_name, code),
}

/**
 * Issues a code and adds its mail to the outbox, in the caller's transaction. When the recipient limit is exceeded,
 * does neither and returns false: the code of the previous mail stays valid, so the link in the owner's mailbox still
 * works.
 */
export async function mailCode(
  tx: Tx,
  { codes, outbox, messages, mayMail }: Pick<AccountParts, 'codes' | 'outbox' | 'messages' | 'mayMail'>,
  user: UserRow,
  purpose: Purpose,
): Promise<boolean> {
  if (!(await mayMail(tx, user.email))) return false
  const code = await codes.issue(tx, user.id, purpose)
  await outbox.post(tx, user.email, MESSAGES[purpose](messages, user, code), { milliseconds: LINK_LIFETIME_MS })
  return true
}
