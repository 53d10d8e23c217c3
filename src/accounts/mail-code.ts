import type { Tx } from '../database/engine.ts'
import type { CodesTable, UserRow } from '../database/tables.ts'
import { counter } from '../http/rate-limit.ts'
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
 * Mails a code within the limit of mails to one recipient. Anyone can request a code for any address, so the counter is
 * independent of the client that makes the request. Past the limit, returns false without a new code: the code of the
 * previous mail stays valid, so the link in the account holder's mailbox still works.
 */
export async function mailCode(
  tx: Tx,
  parts: Pick<AccountParts, 'codes' | 'outbox' | 'messages' | 'limits'>,
  user: UserRow,
  purpose: Purpose,
): Promise<boolean> {
  if (!(await parts.limits.isWithin(tx, counter('mail', user.email)))) return false
  await postCode(tx, parts, user, purpose)
  return true
}

/** Issues a code and adds its mail to the outbox, in the caller's transaction. */
export async function postCode(
  tx: Tx,
  { codes, outbox, messages }: Pick<AccountParts, 'codes' | 'outbox' | 'messages'>,
  user: UserRow,
  purpose: Purpose,
): Promise<void> {
  const code = await codes.issue(tx, user.id, purpose)
  await outbox.enqueue(tx, user.email, MESSAGES[purpose](messages, user, code), { milliseconds: LINK_LIFETIME_MS })
}
