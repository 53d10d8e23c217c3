import type { Database } from '../database/database.ts'
import type { Query, Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import { declareRefusal } from '../http/refusal.ts'
import { HOUR_MS } from '../lib/dates.ts'
import { isLinkToken, newLinkToken } from './link-token.ts'

export const UNDO_LIFETIME_MS = 72 * HOUR_MS

export const emailReserved = declareRefusal({
  status: 409,
  code: 'email_reserved',
  message: 'An account had this address until recently and can still be changed back to it: try again in three days',
  when: 'The caller has proven the address, and the former owner of the address can still undo the change to another one',
})

/**
 * The right of a former address to undo a change of the e-mail address, for 72 hours. The address gets a link with a
 * token of 128 bits, of which the table stores a keyed hash. Until then no other account can get the address.
 */
export function createEmailUndos(database: Database, hash: (text: string) => string) {
  const { now } = database
  const digestOf = (token: string) => hash(JSON.stringify(['undo-email-change', token]))

  return {
    /** Lets the current address of a locked account undo the change that follows in this transaction. */
    async issue(tx: Tx, user: UserRow): Promise<string> {
      const token = newLinkToken()
      await tx
        .insertInto('email_undos')
        .values((eb) => ({
          token_hash: digestOf(token),
          user_id: user.id,
          old_email: user.email,
          expires_at: eb(now, '+', UNDO_LIFETIME_MS),
        }))
        .execute()
      return token
    },

    /** The account and the address that a token restores. Does not use up the token. */
    async find(query: Query | Tx, token: string): Promise<{ userId: string; oldEmail: string } | undefined> {
      if (!isLinkToken(token)) return undefined
      const row = await query
        .selectFrom('email_undos')
        .select(['user_id', 'old_email'])
        .where('token_hash', '=', digestOf(token))
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return row && { userId: row.user_id, oldEmail: row.old_email }
    },

    /**
     * Uses up the undo to an address of a locked account, and all undos of later changes: an attacker who stole an
     * account and changed its address twice loses the undo to the first of the two addresses. Undos of earlier changes
     * stay, so that an attacker cannot use up the undo of the account holder either. Returns the time of the change.
     */
    async redeem(tx: Tx, userId: string, oldEmail: string): Promise<number> {
      const { earliest } = await tx
        .selectFrom('email_undos')
        .select((eb) => eb.fn.min('expires_at').as('earliest'))
        .where('user_id', '=', userId)
        .where('old_email', '=', oldEmail)
        .where('expires_at', '>', now)
        .executeTakeFirstOrThrow()
      await tx.deleteFrom('email_undos').where('user_id', '=', userId).where('expires_at', '>=', earliest).execute()
      return earliest - UNDO_LIFETIME_MS
    },

    /**
     * Whether another account can still be changed back to the address. A transaction that gives the address to an
     * account calls this after the write: the unique index has made the write wait for a concurrent change of the
     * address, so this sees the undo of that change.
     */
    async isReserved(query: Query | Tx, email: string, userId: string): Promise<boolean> {
      const row = await query
        .selectFrom('email_undos')
        .select('user_id')
        .where('old_email', '=', email)
        .where('user_id', '!=', userId)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return row !== undefined
    },
  }
}

export type EmailUndos = ReturnType<typeof createEmailUndos>
