import { randomInt } from 'node:crypto'
import { LINK_LIFETIME_SECONDS } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { CodesTable, UserRow } from '../database/tables.ts'
import { HOUR_MS } from '../lib/dates.ts'
import { isSameText } from '../lib/same-text.ts'
import { countHit } from '../limits/count-hits.ts'
import type { MailedCode } from '../mail/message-values.ts'
import { isLinkToken, newLinkToken } from './link-token.ts'

type Purpose = CodesTable['purpose']

const DIGITS_LIFETIME_MS = 10 * 60_000
export const LINK_LIFETIME_MS = LINK_LIFETIME_SECONDS * 1000
const MAX_TRIES_PER_CODE = 5
// Tries of all codes of an account: a new code, which anyone can request, must not give a guesser five new tries.
const MAX_TRIES_PER_HOUR = 15
// Wrong codes since the last correct one, over any time. After that many, the account accepts only the link of a mail.
const MAX_CONSECUTIVE_WRONG_CODES = 30

/**
 * One-time codes that are sent by mail. A mail has six digits to type and a link with a token of 128 bits. Either of
 * them redeems the code. The table stores only keyed hashes of both.
 */
export function createCodes(database: Database, hash: (text: string) => string) {
  const { now } = database
  const digestDigits = (userId: string, purpose: Purpose, digits: string) =>
    hash(JSON.stringify(['code', purpose, userId, digits]))
  const digestToken = (purpose: Purpose, token: string) => hash(JSON.stringify(['link', purpose, token]))
  const tryCounterKey = (userId: string) => hash(JSON.stringify(['guesses', userId]))

  return {
    /** Issues a code, which replaces an earlier one for the same purpose. */
    async issue(tx: Tx, userId: string, purpose: Purpose): Promise<MailedCode> {
      const digits = String(randomInt(1_000_000)).padStart(6, '0')
      const token = newLinkToken()
      await tx
        .insertInto('codes')
        .values((eb) => ({
          user_id: userId,
          purpose,
          hash: digestDigits(userId, purpose, digits),
          tries_left: MAX_TRIES_PER_CODE,
          expires_at: eb(now, '+', DIGITS_LIFETIME_MS),
          token_hash: digestToken(purpose, token),
          token_expires_at: eb(now, '+', LINK_LIFETIME_MS),
        }))
        .onConflict((conflict) =>
          conflict.columns(['user_id', 'purpose']).doUpdateSet((eb) => ({
            hash: eb.ref('excluded.hash'),
            tries_left: eb.ref('excluded.tries_left'),
            expires_at: eb.ref('excluded.expires_at'),
            token_hash: eb.ref('excluded.token_hash'),
            token_expires_at: eb.ref('excluded.token_expires_at'),
          })),
        )
        .execute()
      return { digits, token }
    },

    /** The address that a link was mailed to, or undefined when the link does not work. Does not use up the code. */
    async findRecipient(purpose: Purpose, token: string): Promise<string | undefined> {
      if (!isLinkToken(token)) return undefined
      const row = await database.query
        .selectFrom('codes')
        .innerJoin('users', 'users.id', 'codes.user_id')
        .select('users.email')
        .where('codes.token_hash', '=', digestToken(purpose, token))
        .where('codes.token_expires_at', '>', now)
        .executeTakeFirst()
      return row?.email
    },

    /**
     * Checks the digits or the token of a code and, when they are correct, deletes the code. The caller has locked the
     * row of the user, so only one of several concurrent tries succeeds. The caller must commit also when this returns
     * false, because the transaction contains the count of tries.
     */
    async redeem(tx: Tx, user: UserRow, purpose: Purpose, code: string): Promise<boolean> {
      const isCorrect = isLinkToken(code)
        ? await isTokenCorrect(tx, user.id, purpose, code)
        : await tryDigits(tx, user, purpose, code)
      if (!isCorrect) return false
      await tx.deleteFrom('codes').where('user_id', '=', user.id).where('purpose', '=', purpose).execute()
      await tx.deleteFrom('rate_limits').where('key', '=', tryCounterKey(user.id)).execute()
      await tx.updateTable('users').set({ wrong_codes: 0 }).where('id', '=', user.id).execute()
      return true
    },
  }

  /** Tries of the token are not counted: 128 bits cannot be guessed, and a count would let a guesser block the link. */
  async function isTokenCorrect(tx: Tx, userId: string, purpose: Purpose, token: string): Promise<boolean> {
    const row = await tx
      .selectFrom('codes')
      .select('token_hash')
      .where('user_id', '=', userId)
      .where('purpose', '=', purpose)
      .where('token_expires_at', '>', now)
      .executeTakeFirst()
    return row !== undefined && isSameText(row.token_hash ?? '', digestToken(purpose, token))
  }

  /** Counts the try, then compares the digits. */
  async function tryDigits(tx: Tx, user: UserRow, purpose: Purpose, digits: string): Promise<boolean> {
    if (user.wrong_codes >= MAX_CONSECUTIVE_WRONG_CODES) return false
    const row = await tx
      .updateTable('codes')
      .set((eb) => ({ tries_left: eb('tries_left', '-', 1) }))
      .where('user_id', '=', user.id)
      .where('purpose', '=', purpose)
      .where('tries_left', '>', 0)
      .where('expires_at', '>', now)
      .returning('hash')
      .executeTakeFirst()
    if (!row) return false
    const { hits } = await countHit(tx, now, tryCounterKey(user.id), HOUR_MS).executeTakeFirstOrThrow()
    if (hits > MAX_TRIES_PER_HOUR) return false
    if (isSameText(row.hash, digestDigits(user.id, purpose, digits))) return true
    await tx
      .updateTable('users')
      .set((eb) => ({ wrong_codes: eb('wrong_codes', '+', 1) }))
      .where('id', '=', user.id)
      .execute()
    return false
  }
}

export type Codes = ReturnType<typeof createCodes>
