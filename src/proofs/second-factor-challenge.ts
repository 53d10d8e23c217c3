import { randomBytes } from 'node:crypto'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { SessionMethod } from '../database/enumerations.ts'
import { type ProofMethod, readMethods, storedMethods } from '../sessions/proof-methods.ts'

export const CHALLENGE_SECONDS = 10 * 60
const MAX_TRIES = 5
const TOKEN_BYTES = 32

/** The proofs of a sign-in before its second factor. */
export interface FirstFactor {
  authMethod: SessionMethod
  methods: ProofMethod[]
}

export interface Challenge {
  token: string
  expiresAt: number
}

/**
 * Sign-ins whose first factor is proven and whose second one is not. A challenge is bound to its account and its first
 * factor, and can succeed once. The table stores only a keyed hash of its token.
 */
export function createSecondFactorChallenges(database: Database, hash: (text: string) => string) {
  const { now } = database
  const digest = (token: string) => hash(JSON.stringify(['second-factor-challenge', token]))
  return {
    /** Issues a challenge, in the transaction that has verified the first factor against the locked account. */
    async issue(tx: Tx, userId: string, { authMethod, methods }: FirstFactor): Promise<Challenge> {
      const token = randomBytes(TOKEN_BYTES).toString('base64url')
      const { expires_at } = await tx
        .insertInto('second_factor_challenges')
        .values((eb) => ({
          key: digest(token),
          user_id: userId,
          auth_method: authMethod,
          auth_methods: storedMethods(methods),
          tries_left: MAX_TRIES,
          expires_at: eb(now, '+', CHALLENGE_SECONDS * 1000),
        }))
        .returning('expires_at')
        .executeTakeFirstOrThrow()
      return { token, expiresAt: expires_at }
    },

    /** The id of the account of a challenge that can still be tried. */
    async findAccount(token: string): Promise<string | undefined> {
      const row = await database.query
        .selectFrom('second_factor_challenges')
        .select('user_id')
        .where('key', '=', digest(token))
        .where('tries_left', '>', 0)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return row?.user_id
    },

    /**
     * Counts a try, before the proof is checked. The caller has locked the row of the user. Returns undefined when the
     * challenge was used, has expired or has no tries left.
     */
    async take(tx: Tx, userId: string, token: string): Promise<FirstFactor | undefined> {
      const row = await tx
        .updateTable('second_factor_challenges')
        .set((eb) => ({ tries_left: eb('tries_left', '-', 1) }))
        .where('key', '=', digest(token))
        .where('user_id', '=', userId)
        .where('tries_left', '>', 0)
        .where('expires_at', '>', now)
        .returning(['auth_method', 'auth_methods'])
        .executeTakeFirst()
      return row && { authMethod: row.auth_method, methods: readMethods(row.auth_methods) }
    },

    /** Deletes a challenge after it has succeeded. */
    async finish(tx: Tx, token: string): Promise<void> {
      await tx.deleteFrom('second_factor_challenges').where('key', '=', digest(token)).execute()
    },
  }
}

export type SecondFactorChallenges = ReturnType<typeof createSecondFactorChallenges>

/**
 * Deletes the challenges of an account when its password or its factors change: they prove a first factor that may no
 * longer be valid.
 */
export async function dropChallenges(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('second_factor_challenges').where('user_id', '=', userId).execute()
}
