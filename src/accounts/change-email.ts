import type { Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import { recordEvent } from '../events/security-events.ts'
import { StoredEmail } from '../http/fields.ts'
import { withMinimumDuration } from '../http/minimum-duration.ts'
import { operation } from '../http/operation.ts'
import { counter } from '../http/rate-limit.ts'
import { invalid, unauthenticated } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { lockProvenCaller, reauthenticationRequired, requireRecentProof } from '../proofs/recent-proof.ts'
import { LINK_LIFETIME_MS } from './codes.ts'
import { Email } from './fields.ts'
import type { AccountParts } from './parts.ts'
import { pendingEmailChange } from './pending-email-change.ts'

export function changeEmail(parts: AccountParts) {
  const { database, limits, codes, outbox, messages, emailUndos, addressOf, clientInfoOf } = parts
  const { now } = database
  return operation({
    id: 'changeEmail',
    summary: 'Ask for another e-mail address, and mail a code to it',
    message: 'If the address can be used, a code to confirm it has been sent to it',
    description:
      'The address changes when the code is confirmed. The response is the same for an address that another account ' +
      'has: its account holder gets a mail about the try, and no code works. Asking again replaces the address and ' +
      'the code.',
    body: Type.Object({ newEmail: Type.String({ ...Email, examples: ['ada@newmail.example'] }) }),
    data: Type.Object({ newEmail: StoredEmail }, { title: 'EmailChange' }),
    refusals: [reauthenticationRequired],
    limits: ['code'],
    async handle({ body: { newEmail }, caller, request }) {
      const { userId, sessionId } = caller
      await requireRecentProof(database.query, parts, caller)
      if (newEmail === caller.user.email) throw invalid('newEmail', 'not_allowed', 'This is your address already')
      // The counter of the account bounds the addresses that it can try, and the mails that it can cause.
      await limits.take(request, counter('code', newEmail, addressOf(request)), counter('code', userId))
      const clientInfo = clientInfoOf(request)
      await withMinimumDuration(() =>
        database.transaction(async (tx) => {
          const user = await lockProvenCaller(tx, parts, caller)
          // No session belongs to an unverified account, because the verification starts the first one.
          if (user.email_verified_at === null) throw unauthenticated()
          await setPending(tx, user, newEmail)
          await recordEvent(tx, now, { type: 'email.change-requested', userId, sessionId, clientInfo })
          if (await limits.isWithin(tx, counter('mail', newEmail))) await mailTo(tx, user, newEmail)
        }),
      )
      return { data: { newEmail } }
    },
  })

  /** A code confirms one address only: the code for another address is deleted. */
  async function setPending(tx: Tx, user: UserRow, newEmail: string): Promise<void> {
    const former = await pendingEmailChange(tx, now, user.id)
    if (former?.newEmail !== newEmail) {
      await tx.deleteFrom('codes').where('user_id', '=', user.id).where('purpose', '=', 'email-change').execute()
    }
    await tx
      .insertInto('email_changes')
      .values({ user_id: user.id, new_email: newEmail, created_at: now })
      .onConflict((conflict) =>
        conflict.column('user_id').doUpdateSet((eb) => ({
          new_email: eb.ref('excluded.new_email'),
          created_at: eb.ref('excluded.created_at'),
        })),
      )
      .execute()
  }

  async function mailTo(tx: Tx, user: UserRow, newEmail: string): Promise<void> {
    const lifetime = { milliseconds: LINK_LIFETIME_MS }
    const account = await tx
      .selectFrom('users')
      .select('first_name')
      .where('email', '=', newEmail)
      .where('email_verified_at', 'is not', null)
      .executeTakeFirst()
    if (account || (await emailUndos.isReserved(tx, newEmail, user.id))) {
      await outbox.enqueue(tx, newEmail, messages.emailInUse(account?.first_name), lifetime)
    } else {
      const code = await codes.issue(tx, user.id, 'email-change')
      await outbox.enqueue(tx, newEmail, messages.emailChangeCode(code), lifetime)
    }
  }
}
