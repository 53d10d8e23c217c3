import type { Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import { recordEvent } from '../events/security-events.ts'
import { StoredEmail } from '../http/fields.ts'
import { publicOperation } from '../http/operation.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { DAY_MS } from '../lib/dates.ts'
import { endSessions } from '../sessions/end.ts'
import { lockUser } from '../sessions/lock-user.ts'
import { emailTaken } from './create-account.ts'
import type { AccountParts } from './parts.ts'
import { removeRecentSignInMethods } from './remove-recent-sign-in-methods.ts'
import { removeUnverified } from './unverified.ts'

// An attacker adds ways to sign in at about the time of the change of the address.
const SUSPECT_PERIOD_MS = DAY_MS

const invalidToken = declareRefusal({
  status: 400,
  code: 'invalid_undo_token',
  message: 'This change cannot be undone any more',
  when: 'The token is wrong, used or expired, or the account is deleted',
})

export function undoEmailChange(parts: AccountParts) {
  const { database, outbox, messages, emailUndos, clientInfoOf } = parts
  const { now } = database
  return publicOperation({
    id: 'undoEmailChange',
    summary: 'Undo a change of the e-mail address, with the token that was mailed to the former address',
    message: 'The change of the email address was undone',
    description:
      'The account gets the former address again. All its sessions end, and mailed codes, a pending change of the ' +
      'address, sign-ins in progress, remembered browsers and recovery codes are deleted. Later changes cannot be ' +
      'undone any more. The password is removed, and so are the providers, passkeys and authenticator apps that were ' +
      'added since a day before the change. Forgot-password then gives the account a new password.',
    body: Type.Object({
      token: Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: '^[0-9a-f]*$',
        'x-pattern-words': 'digits and lower-case letters from a to f',
        description: 'The token of the link in the mail',
        examples: ['5f0c2b9e7a1d4836b0e4c9d27f61a853'],
      }),
    }),
    data: Type.Object({ email: StoredEmail }, { title: 'EmailChangeUndone' }),
    refusals: [invalidToken, emailTaken],
    async handle({ body: { token }, request }) {
      const clientInfo = clientInfoOf(request)
      const found = await emailUndos.find(database.query, token)
      const email = found && (await database.transaction((tx) => undo(tx, found.userId)).catch(refuseTaken))
      if (!email) throw new Refusal(invalidToken)
      return { data: { email } }

      async function undo(tx: Tx, userId: string): Promise<string | undefined> {
        const user = await lockUser(tx, { id: userId })
        // Another request may have used the token before the account was locked.
        const undoable = user && (await emailUndos.find(tx, token))
        if (!undoable) return undefined
        const { oldEmail } = undoable
        const changedAt = await emailUndos.redeem(tx, userId, oldEmail)
        await restore(tx, user, oldEmail)
        await removeRecentSignInMethods(tx, userId, changedAt - SUSPECT_PERIOD_MS)
        await recordEvent(tx, now, { type: 'email.change-undone', userId, clientInfo })
        await outbox.enqueue(tx, oldEmail, messages.emailChangeUndone(user.first_name, clientInfo))
        if (user.email !== oldEmail) {
          await outbox.enqueue(tx, user.email, messages.emailWithdrawn())
          const change = { userId, email: oldEmail, previousEmail: user.email }
          await parts.webhookEvents.enqueue(tx, 'account.email-changed', change)
        }
        return oldEmail
      }
    },
  })

  async function restore(tx: Tx, user: UserRow, oldEmail: string): Promise<void> {
    if (user.email !== oldEmail) {
      // An instance of a version that does not reserve former addresses may have registered it.
      await removeUnverified(tx, oldEmail)
      await outbox.withdrawCodes(tx, user.email)
    }
    // The token proves the mailbox, so the address counts as verified, and guesses of codes by others as ended.
    await tx
      .updateTable('users')
      .set({ email: oldEmail, email_verified_at: now, wrong_codes: 0 })
      .where('id', '=', user.id)
      .execute()
    await endSessions(tx, now, user.id)
    const tables = ['codes', 'email_changes', 'second_factor_challenges', 'remembered_browsers'] as const
    for (const table of tables) await tx.deleteFrom(table).where('user_id', '=', user.id).execute()
  }

  function refuseTaken(error: unknown): never {
    throw database.isUniqueViolation(error) ? new Refusal(emailTaken) : error
  }
}
