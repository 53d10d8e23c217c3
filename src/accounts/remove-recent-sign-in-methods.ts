import type { Tx } from '../database/engine.ts'
import { turnOffSecondFactor } from '../proofs/second-factor.ts'

/**
 * Removes the password of a locked account, and every way to sign in that was added after a time: an attacker may know
 * the one and have added the other. The account holder, who reads the mail of the account, then chooses a new password.
 * Without any second factor left, two-step sign-in is turned off, because an attacker may have turned it on to lock the
 * account holder out.
 */
export async function removeRecentSignInMethods(tx: Tx, userId: string, sinceMs: number): Promise<void> {
  await tx.updateTable('users').set({ password_hash: null }).where('id', '=', userId).execute()
  await tx.deleteFrom('linked_accounts').where('user_id', '=', userId).where('linked_at', '>', sinceMs).execute()
  await tx.deleteFrom('passkeys').where('user_id', '=', userId).where('created_at', '>', sinceMs).execute()
  await tx.deleteFrom('authenticator_apps').where('user_id', '=', userId).where('created_at', '>', sinceMs).execute()
  // The attacker may have made new recovery codes and seen them.
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  const { factors } = await tx
    .selectNoFrom((eb) => [
      eb
        .or([
          eb.exists(eb.selectFrom('passkeys').select('id').where('user_id', '=', userId)),
          eb.exists(eb.selectFrom('authenticator_apps').select('user_id').where('user_id', '=', userId)),
        ])
        .as('factors'),
    ])
    .executeTakeFirstOrThrow()
  if (!factors) await turnOffSecondFactor(tx, userId)
}
