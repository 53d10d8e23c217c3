import type { Query, Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import { recordEvent } from '../events/security-events.ts'
import type { ClientInfo } from '../http/client-info.ts'
import type { SessionParts } from '../sessions/start.ts'
import { type AuthenticatorApps, MAX_CONSECUTIVE_WRONG_CODES } from './authenticator-app.ts'
import type { GuessLimit } from './guess-limit.ts'
import type { RecoveryCodes } from './recovery-codes.ts'
import { forgetBrowsers, type RememberedBrowsers } from './remembered-browsers.ts'
import { dropChallenges, type SecondFactorChallenges } from './second-factor-challenge.ts'

export interface SecondFactorParts {
  authenticatorApps: AuthenticatorApps
  recoveryCodes: RecoveryCodes
  guessLimit: GuessLimit
  secondFactorChallenges: SecondFactorChallenges
  rememberedBrowsers: RememberedBrowsers
}

export type SecondFactorMeans = 'authenticator-app' | 'passkey' | 'recovery-code'

/** The second factors of an account. */
export async function readFactors(
  query: Query,
  { authenticatorApps, recoveryCodes }: SecondFactorParts,
  userId: string,
) {
  const { passkeys } = await query
    .selectFrom('passkeys')
    .select((eb) => eb.fn.countAll<number>().as('passkeys'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return {
    app: await authenticatorApps.find(query, userId),
    passkeys,
    recoveryCodesLeft: await recoveryCodes.countLeft(query, userId),
  }
}

type Factors = Awaited<ReturnType<typeof readFactors>>

/** The means that the account holder can use at this time. */
export function secondFactorMeans({ app, passkeys, recoveryCodesLeft }: Factors): SecondFactorMeans[] {
  const means: SecondFactorMeans[] = []
  if (app && app.wrong_codes < MAX_CONSECUTIVE_WRONG_CODES) means.push('authenticator-app')
  if (passkeys > 0) means.push('passkey')
  if (recoveryCodesLeft > 0) means.push('recovery-code')
  return means
}

/** Turns two-step sign-in on. Remembered browsers have proved an earlier factor, so they are forgotten. */
export async function requireSecondFactor(tx: Tx, userId: string): Promise<void> {
  await tx.updateTable('users').set({ second_factor_required: 1 }).where('id', '=', userId).execute()
  await forgetBrowsers(tx, userId)
}

/** Turns two-step sign-in off, and deletes what serves only this: recovery codes, remembered browsers, challenges. */
export async function turnOffSecondFactor(tx: Tx, userId: string): Promise<void> {
  await tx.updateTable('users').set({ second_factor_required: 0 }).where('id', '=', userId).execute()
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  await forgetSecondFactorProofs(tx, userId)
}

/**
 * Forgets remembered browsers and open challenges, when the password of an account, its providers or one of its factors
 * change: what they have proved may no longer be valid.
 */
export async function forgetSecondFactorProofs(tx: Tx, userId: string): Promise<void> {
  await forgetBrowsers(tx, userId)
  await dropChallenges(tx, userId)
}

type Parts = SecondFactorParts & Pick<SessionParts, 'database' | 'outbox' | 'messages'>

/**
 * Verifies a code of the authenticator app. The caller has locked the row of the user, and commits also when this
 * returns false. The account holder is told when the app was blocked.
 */
export async function verifyAppCode(
  tx: Tx,
  { authenticatorApps, database, outbox, messages }: Parts,
  user: UserRow,
  code: string,
  clientInfo: ClientInfo,
): Promise<boolean> {
  const result = await authenticatorApps.verify(tx, user.id, code)
  if (result === 'blocked') {
    await recordEvent(tx, database.now, { type: 'authenticator-app.blocked', userId: user.id, clientInfo })
    await outbox.enqueue(tx, user.email, messages.authenticatorAppBlocked(user.first_name, clientInfo))
  }
  return result === 'right'
}

/** Uses up a recovery code, under the same conditions, and tells the account holder how many are left. */
export async function useRecoveryCode(
  tx: Tx,
  { recoveryCodes, database, outbox, messages }: Parts,
  user: UserRow,
  code: string,
  clientInfo: ClientInfo,
): Promise<boolean> {
  const used = await recoveryCodes.use(tx, user.id, code)
  if (!used) return false
  await recordEvent(tx, database.now, { type: 'recovery-code.used', userId: user.id, clientInfo })
  await outbox.enqueue(tx, user.email, messages.recoveryCodeUsed(user.first_name, used.left, clientInfo))
  return true
}
