import type { Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import { recordEvent } from '../events/security-events.ts'
import type { ClientInfo } from '../http/client-info.ts'
import { StoredEmail } from '../http/fields.ts'
import { withMinimumDuration } from '../http/minimum-duration.ts'
import { operation } from '../http/operation.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import type { Caller } from '../http/request.ts'
import { Type } from '../http/schema.ts'
import { reauthenticationRequired, requireOwnerProof } from '../proofs/recent-proof.ts'
import { lockCaller } from '../sessions/lock-user.ts'
import { emailTaken } from './create-account.ts'
import { emailReserved, UNDO_LIFETIME_MS } from './email-undos.ts'
import { Code } from './fields.ts'
import { grantOwnerRole } from './owner-email.ts'
import type { AccountParts } from './parts.ts'
import { pendingEmailChange } from './pending-email-change.ts'
import { removeUnverified } from './unverified.ts'

const invalidCode = declareRefusal({
  status: 400,
  code: 'invalid_email_change_code',
  message: 'Invalid or expired code for the new address',
  when: 'The code is wrong, used or expired, or the account waits for no new address',
})

export function confirmEmailChange(parts: AccountParts) {
  const { database, codes, outbox, messages, emailUndos, browserSession, clientInfoOf } = parts
  const { now } = database
  return operation({
    id: 'confirmEmailChange',
    summary: 'Change the e-mail address with the code that was mailed to the new one',
    message: 'Email address changed successfully',
    description:
      'Every mailed code of the account stops working. The former address gets a mail with a link, with which it can ' +
      'undo the change for 72 hours; meanwhile no other account can get that address. Sessions and linked providers stay.',
    body: Type.Object({ code: Code }),
    data: Type.Object({ email: StoredEmail }, { title: 'EmailChanged' }),
    refusals: [invalidCode, emailTaken, emailReserved, reauthenticationRequired],
    async handle({ body: { code }, caller, request }) {
      const change = () => database.transaction((tx) => confirm(tx, caller, code, clientInfoOf(request)))
      // The unique index on the address decides between accounts that get the same address at the same time. The other
      // account may be a registration that was inserted since `removeUnverified`: the second transaction removes it.
      const changed = await withMinimumDuration(() => change().catch(onUniqueViolation(change))).catch(
        onUniqueViolation(() => Promise.reject(new Refusal(emailTaken))),
      )
      if (!changed) throw new Refusal(invalidCode)
      return { data: { email: changed.email }, cookies: changed.cookies }
    },
  })

  /** Returns undefined when the code is wrong. The transaction then commits, because it contains the count of tries. */
  async function confirm(tx: Tx, caller: Caller, code: string, clientInfo: ClientInfo) {
    const user = await lockCaller(tx, now, caller)
    // The change may have begun before the account had its first passkey or app, or its role.
    await requireOwnerProof(tx, { ...caller, user })
    const pending = await pendingEmailChange(tx, now, user.id)
    const isCorrect = await codes.redeem(tx, user, 'email-change', code)
    if (!pending || !isCorrect) return undefined
    const { newEmail } = pending
    const undoToken = await emailUndos.issue(tx, user)
    await setEmail(tx, user, newEmail)
    await grantOwnerRole(tx, parts, { ...user, email: newEmail }, clientInfo)
    const { sessionId, cookies } = await browserSession.renew(tx, caller)
    await recordEvent(tx, now, { type: 'email.changed', userId: user.id, sessionId, clientInfo })
    const change = { userId: user.id, email: newEmail, previousEmail: user.email }
    await parts.webhookEvents.enqueue(tx, 'account.email-changed', change)
    const undoable = { milliseconds: UNDO_LIFETIME_MS }
    await outbox.enqueue(tx, user.email, messages.emailChanged(user.first_name, clientInfo, undoToken), undoable)
    await outbox.enqueue(tx, newEmail, messages.emailConfirmed(user.first_name, clientInfo))
    return { email: newEmail, cookies }
  }

  function onUniqueViolation<T>(next: () => Promise<T>) {
    return (error: unknown): Promise<T> => (database.isUniqueViolation(error) ? next() : Promise.reject(error))
  }

  async function setEmail(tx: Tx, user: UserRow, newEmail: string): Promise<void> {
    // The caller has proved the mailbox. The person who registered the address has not.
    await removeUnverified(tx, newEmail)
    await tx.updateTable('users').set({ email: newEmail, email_verified_at: now }).where('id', '=', user.id).execute()
    if (await emailUndos.isReserved(tx, newEmail, user.id)) throw new Refusal(emailReserved)
    await tx.deleteFrom('email_changes').where('user_id', '=', user.id).execute()
    await tx.deleteFrom('codes').where('user_id', '=', user.id).execute()
    await outbox.withdrawCodes(tx, user.email)
  }
}
