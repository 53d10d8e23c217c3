import type { Tx } from '../database/engine.ts'
import { operation } from '../http/operation.ts'
import { invalid, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { lockProvenCaller, reauthenticationRequired } from '../proofs/recent-proof.ts'
import { lockCaller } from '../sessions/lock-user.ts'
import { isOwnPassword, wrongPassword } from './check-own-password.ts'
import { Password } from './fields.ts'
import type { AccountParts } from './parts.ts'

// The mail that confirms the deletion is the last personal data of the account. The outbox deletes it when it cannot be
// delivered within a day.
const NOTICE_LIFETIME = { milliseconds: 24 * 60 * 60_000 }

export function deleteAccount(parts: AccountParts) {
  const { database, outbox, messages } = parts
  const { now } = database
  return operation({
    id: 'deleteAccount',
    summary: 'Delete the account and everything that belongs to it',
    message: 'Account deleted successfully',
    description:
      'An account with a password gives it. An account without one sends no body, and needs a recent proof of identity.',
    body: Type.Object({ password: Type.Optional(Password) }),
    refusals: [wrongPassword, reauthenticationRequired],
    limits: ['login', 'password'],
    async handle({ body: { password }, caller, request }) {
      const { user } = caller
      if (user.password_hash !== null) {
        if (password === undefined) throw invalid('password', 'required', 'Password is required')
        if (!(await isOwnPassword(parts, request, caller, password))) throw new Refusal(wrongPassword)
      }
      await database.transaction(async (tx) => {
        const isProven = user.password_hash !== null
        const locked = isProven ? await lockCaller(tx, now, caller) : await lockProvenCaller(tx, parts, caller)
        const addresses = new Set([locked.email, ...(await formerAddresses(tx, user.id))])
        const deleted = await tx
          .deleteFrom('users')
          .where('id', '=', user.id)
          .where('password_hash', user.password_hash === null ? 'is' : '=', user.password_hash)
          .returning('id')
          .executeTakeFirst()
        if (!deleted) throw new Refusal(wrongPassword)
        await tx
          .deleteFrom('outbox')
          .where('recipient', 'in', [...addresses])
          .execute()
        for (const address of addresses)
          await outbox.post(tx, address, messages.accountDeleted(locked.first_name), NOTICE_LIFETIME)
      })
      await database.eraseDeletedContent()
      return {}
    },
  })

  /** The addresses that could still undo a change of the address. The owner may read only these. */
  async function formerAddresses(tx: Tx, userId: string): Promise<string[]> {
    const rows = await tx
      .selectFrom('email_undos')
      .select('old_email')
      .distinct()
      .where('user_id', '=', userId)
      .where('expires_at', '>', now)
      .execute()
    return rows.map(({ old_email }) => old_email)
  }
}
