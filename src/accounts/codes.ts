import { randomInt, timingSafeEqual } from 'node:crypto'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { CodesTable } from '../database/tables.ts'
import { countHit } from '../http/limits.ts'

type Purpose = CodesTable['purpose']

export const CODE_LIFETIME = 10 * 60_000
const TRIES = 5
// Five tries a code are not enough of a bound when new codes can be asked for.
const WRONG_PER_HOUR = 15

/** One-time codes: six digits that go out by mail and come back once. */
export function createCodes(database: Database, hash: (text: string) => string) {
  const { now } = database
  const digest = (userId: string, purpose: Purpose, code: string) =>
    hash(JSON.stringify(['code', purpose, userId, code]))
  const guesses = (userId: string) => hash(JSON.stringify(['guesses', userId]))

  return {
    /** A new code for this purpose; the one before stops working. */
    async issue(tx: Tx, userId: string, purpose: Purpose): Promise<string> {
      const code = String(randomInt(1_000_000)).padStart(6, '0')
      await tx
        .insertInto('codes')
        .values((eb) => ({
          user_id: userId,
          purpose,
          hash: digest(userId, purpose, code),
          tries_left: TRIES,
          expires_at: eb(now, '+', CODE_LIFETIME),
        }))
        .onConflict((conflict) =>
          conflict.columns(['user_id', 'purpose']).doUpdateSet((eb) => ({
            hash: eb.ref('excluded.hash'),
            tries_left: eb.ref('excluded.tries_left'),
            expires_at: eb.ref('excluded.expires_at'),
          })),
        )
        .execute()
      return code
    },

    /**
     * Uses a code up. The try is counted before the code is looked at, and the row stays locked until the transaction
     * ends: of many tries at once, only so many are compared and only one can win. On false the caller must commit.
     */
    async redeem(tx: Tx, userId: string, purpose: Purpose, code: string): Promise<boolean> {
      const tried = await tx
        .updateTable('codes')
        .set((eb) => ({ tries_left: eb('tries_left', '-', 1) }))
        .where('user_id', '=', userId)
        .where('purpose', '=', purpose)
        .where('tries_left', '>', 0)
        .where('expires_at', '>', now)
        .returning('hash')
        .executeTakeFirst()
      if (!tried) return false
      const { hits } = await countHit(tx, now, guesses(userId), 60 * 60_000).executeTakeFirstOrThrow()
      if (hits > WRONG_PER_HOUR) return false
      if (!timingSafeEqual(Buffer.from(tried.hash), Buffer.from(digest(userId, purpose, code)))) return false

      await tx.deleteFrom('codes').where('user_id', '=', userId).where('purpose', '=', purpose).execute()
      await tx.deleteFrom('rate_limits').where('key', '=', guesses(userId)).execute()
      return true
    },
  }
}

export type Codes = ReturnType<typeof createCodes>
