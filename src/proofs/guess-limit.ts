import { type SqlBool, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import { HOUR_MS } from '../lib/dates.ts'
import { countHit } from '../limits/count-hits.ts'

// Tries of all challenges of an account: a new challenge, which anyone with the password gets, must not give five new
// tries.
const MAX_TRIES_PER_HOUR = 15

/** Counts the tries of the second factor of an account, in the transaction of the try. */
export function createGuessLimit(database: Database, hash: (text: string) => string) {
  const keyOf = (userId: string) => hash(JSON.stringify(['second-factor-guesses', userId]))
  return {
    /** Counts a try. Returns false when the account has had too many in this hour. */
    async count(tx: Tx, userId: string): Promise<boolean> {
      const { hits } = await countHit(tx, database.now, keyOf(userId), HOUR_MS).executeTakeFirstOrThrow()
      return hits <= MAX_TRIES_PER_HOUR
    },
    /** Whether `reset` would change anything, for a statement that reads it together with other values. */
    hasTries: (userId: string) =>
      sql<SqlBool>`(exists (select 1 from rate_limits where key = ${keyOf(userId)}) or
        exists (select 1 from authenticator_apps where user_id = ${userId} and wrong_codes > 0))`,
    /** Called after a correct proof of a second factor. */
    async reset(tx: Tx, userId: string): Promise<void> {
      await tx.deleteFrom('rate_limits').where('key', '=', keyOf(userId)).execute()
      await tx.updateTable('authenticator_apps').set({ wrong_codes: 0 }).where('user_id', '=', userId).execute()
    },
  }
}

export type GuessLimit = ReturnType<typeof createGuessLimit>
