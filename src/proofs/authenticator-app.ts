import { randomBytes } from 'node:crypto'
import type { Clock } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Query, Tx } from '../database/engine.ts'
import { HOUR_MS } from '../lib/dates.ts'
import type { GuessLimit } from './guess-limit.ts'
import type { SecretBox } from './secret-box.ts'
import { acceptedStep, SECRET_BYTES } from './totp.ts'

// Wrong codes since the last correct proof of a second factor, over any time. After that many, the app is not accepted.
export const MAX_CONSECUTIVE_WRONG_CODES = 30
// A secret that the account holder has not confirmed within this time is not accepted.
const PENDING_LIFETIME_MS = HOUR_MS

interface AuthenticatorAppParts {
  database: Database
  clock: Clock
  secretBox: SecretBox
  guessLimit: GuessLimit
}

/** `blocked`: the code was the last wrong one that is tolerated. The caller tells the account holder. */
export type CodeResult = 'right' | 'wrong' | 'blocked'

/**
 * The authenticator app of an account (RFC 6238). In all functions with a transaction, the caller has locked the row of
 * the user, and commits also when a code was wrong, because the transaction contains the count of tries.
 */
export function createAuthenticatorApps({ database, clock, secretBox, guessLimit }: AuthenticatorAppParts) {
  const { now } = database
  return {
    /** The confirmed app of an account. */
    find: (query: Query, userId: string) =>
      query
        .selectFrom('authenticator_apps')
        .select(['confirmed_at', 'last_used_at', 'wrong_codes'])
        .where('user_id', '=', userId)
        .where('confirmed_at', 'is not', null)
        .$narrowType<{ confirmed_at: number }>()
        .executeTakeFirst(),

    /**
     * Stores a new secret, which is accepted nowhere until `confirm`. It replaces an earlier one that was not
     * confirmed: somebody else may have seen that. Returns undefined when the account has a confirmed app.
     */
    async begin(tx: Tx, userId: string): Promise<Buffer | undefined> {
      const secret = randomBytes(SECRET_BYTES)
      const sealed = secretBox.seal(userId, secret)
      const stored = await tx
        .insertInto('authenticator_apps')
        .values({ user_id: userId, secret: sealed, confirmed_at: null, created_at: now, last_used_at: null })
        .onConflict((conflict) =>
          conflict
            .column('user_id')
            .doUpdateSet({ secret: sealed, created_at: now, last_step: 0, wrong_codes: 0 })
            .where('authenticator_apps.confirmed_at', 'is', null),
        )
        .returning('user_id')
        .executeTakeFirst()
      return stored && secret
    },

    /** Activates the pending app with a first code. Its step counts as used. */
    async confirm(tx: Tx, userId: string, code: string): Promise<boolean> {
      const pending = await tx
        .selectFrom('authenticator_apps')
        .select('secret')
        .where('user_id', '=', userId)
        .where('confirmed_at', 'is', null)
        .where((eb) => eb('created_at', '>', eb(now, '-', PENDING_LIFETIME_MS)))
        .executeTakeFirst()
      if (!pending || !(await guessLimit.count(tx, userId))) return false
      const step = acceptedStep(secretBox.open(userId, pending.secret), code, clock.now())
      if (step === undefined) return false
      await tx
        .updateTable('authenticator_apps')
        .set({ confirmed_at: now, last_step: step })
        .where('user_id', '=', userId)
        .execute()
      await guessLimit.reset(tx, userId)
      return true
    },

    /** Counts the try, then compares the code. Each time step is accepted once (RFC 6238, section 5.2). */
    async verify(tx: Tx, userId: string, code: string): Promise<CodeResult> {
      const app = await tx
        .selectFrom('authenticator_apps')
        .select('secret')
        .where('user_id', '=', userId)
        .where('confirmed_at', 'is not', null)
        .where('wrong_codes', '<', MAX_CONSECUTIVE_WRONG_CODES)
        .executeTakeFirst()
      if (!app || !(await guessLimit.count(tx, userId))) return 'wrong'
      const step = acceptedStep(secretBox.open(userId, app.secret), code, clock.now())
      if (step === undefined) return countWrongCode(tx, userId)
      const used = await tx
        .updateTable('authenticator_apps')
        .set({ last_step: step, last_used_at: now })
        .where('user_id', '=', userId)
        .where('last_step', '<', step)
        .returning('user_id')
        .executeTakeFirst()
      // A code that was accepted before is refused, but it is no guess.
      if (!used) return 'wrong'
      await guessLimit.reset(tx, userId)
      return 'right'
    },

    /** Deletes the app. Returns false when the account had no confirmed one. */
    async remove(tx: Tx, userId: string): Promise<boolean> {
      const removed = await tx
        .deleteFrom('authenticator_apps')
        .where('user_id', '=', userId)
        .where('confirmed_at', 'is not', null)
        .returning('user_id')
        .executeTakeFirst()
      return removed !== undefined
    },
  }

  async function countWrongCode(tx: Tx, userId: string): Promise<CodeResult> {
    const { wrong_codes } = await tx
      .updateTable('authenticator_apps')
      .set((eb) => ({ wrong_codes: eb('wrong_codes', '+', 1) }))
      .where('user_id', '=', userId)
      .returning('wrong_codes')
      .executeTakeFirstOrThrow()
    return wrong_codes === MAX_CONSECUTIVE_WRONG_CODES ? 'blocked' : 'wrong'
  }
}

export type AuthenticatorApps = ReturnType<typeof createAuthenticatorApps>
