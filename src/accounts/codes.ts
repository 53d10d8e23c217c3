import { randomBytes, randomInt } from 'node:crypto'
import { LINK_LIFETIME_SECONDS } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { CodesTable, UserRow } from '../database/tables.ts'
import { countHit } from '../http/count-hits.ts'
import { isSameText } from '../lib/same-text.ts'
import type { MailedCode } from '../mail/messages.ts'

type Purpose = CodesTable['purpose']

const DIGITS_LIFETIME_MS = 10 * 60_000
export const LINK_LIFETIME_MS = LINK_LIFETIME_SECONDS * 1000
const TRIES = 5
// Five tries a code are not enough of a bound when new codes can be asked for.
const WRONG_PER_HOUR = 15
// Nor are fifteen an hour when there is no end of hours: after so many in a row, only a link works.
const WRONG_IN_A_ROW = 30
// 128 bits.
const TOKEN_BYTES = 16
const TOKEN = /^[0-9a-f]{32}$/

/** One-time codes that go out by mail and come back once. */
export function createCodes(database: Database, hash: (text: string) => string) {
  const { now } = database
  const digestDigits = (userId: string, purpose: Purpose, digits: string) =>
    hash(JSON.stringify(['code', purpose, userId, digits]))
  const digestToken = (purpose: Purpose, token: string) => hash(JSON.stringify(['link', purpose, token]))
  const guesses = (userId: string) => hash(JSON.stringify(['guesses', userId]))

  return {
    /** A new code for this purpose; the one before stops working. */
    async issue(tx: Tx, userId: string, purpose: Purpose): Promise<MailedCode> {
      const digits = String(randomInt(1_000_000)).padStart(6, '0')
      const token = randomBytes(TOKEN_BYTES).toString('hex')
      await tx
        .insertInto('codes')
        .values((eb) => ({
          user_id: userId,
          purpose,
          hash: digestDigits(userId, purpose, digits),
          tries_left: TRIES,
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

    /** The address that a link was mailed to, while the link works. Looking changes nothing. */
    async findRecipient(purpose: Purpose, token: string): Promise<string | undefined> {
      if (!TOKEN.test(token)) return undefined
      const found = await database.query
        .selectFrom('codes')
        .innerJoin('users', 'users.id', 'codes.user_id')
        .select('users.email')
        .where('codes.token_hash', '=', digestToken(purpose, token))
        .where('codes.token_expires_at', '>', now)
        .executeTakeFirst()
      return found?.email
    },

    /**
     * Uses a code up: the digits or the token. The caller holds the row of the user, so that of many tries at once only
     * one can succeed. On false the caller must commit, because a wrong try is counted.
     */
    async redeem(tx: Tx, user: UserRow, purpose: Purpose, code: string): Promise<boolean> {
      const isRight = TOKEN.test(code) ? isToken(tx, user.id, purpose, code) : areDigits(tx, user, purpose, code)
      if (!(await isRight)) return false
      await tx.deleteFrom('codes').where('user_id', '=', user.id).where('purpose', '=', purpose).execute()
      await tx.deleteFrom('rate_limits').where('key', '=', guesses(user.id)).execute()
      await tx.updateTable('users').set({ wrong_codes: 0 }).where('id', '=', user.id).execute()
      return true
    },
  }

  /** Nobody guesses 128 bits, so tries are not counted: nothing that a guesser does can block the link. */
  async function isToken(tx: Tx, userId: string, purpose: Purpose, token: string): Promise<boolean> {
    const mailed = await tx
      .selectFrom('codes')
      .select('token_hash')
      .where('user_id', '=', userId)
      .where('purpose', '=', purpose)
      .where('token_expires_at', '>', now)
      .executeTakeFirst()
    return mailed !== undefined && isSameText(mailed.token_hash ?? '', digestToken(purpose, token))
  }

  /** The try is counted before the digits are compared. */
  async function areDigits(tx: Tx, user: UserRow, purpose: Purpose, digits: string): Promise<boolean> {
    if (user.wrong_codes >= WRONG_IN_A_ROW) return false
    const tried = await tx
      .updateTable('codes')
      .set((eb) => ({ tries_left: eb('tries_left', '-', 1) }))
      .where('user_id', '=', user.id)
      .where('purpose', '=', purpose)
      .where('tries_left', '>', 0)
      .where('expires_at', '>', now)
      .returning('hash')
      .executeTakeFirst()
    if (!tried) return false
    const { hits } = await countHit(tx, now, guesses(user.id), 60 * 60_000).executeTakeFirstOrThrow()
    if (hits > WRONG_PER_HOUR) return false
    if (isSameText(tried.hash, digestDigits(user.id, purpose, digits))) return true
    await tx
      .updateTable('users')
      .set((eb) => ({ wrong_codes: eb('wrong_codes', '+', 1) }))
      .where('id', '=', user.id)
      .execute()
    return false
  }
}

export type Codes = ReturnType<typeof createCodes>
