import type { Tx } from '../database/engine.ts'
import type { AuthMethod } from '../database/enumerations.ts'
import { recordEvent } from '../events/security-events.ts'
import { withMinimumDuration } from '../http/minimum-duration.ts'
import { publicOperation } from '../http/operation.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { forgetSecondFactorProofs } from '../proofs/second-factor.ts'
import { endSessions } from '../sessions/end.ts'
import { lockUser } from '../sessions/lock-user.ts'
import { ADMISSION_REFUSALS, admit } from './admission.ts'
import { Code, confirmationOf, Email, newPassword } from './fields.ts'
import type { AccountParts } from './parts.ts'
import { hashPassword } from './password-hash.ts'
import { claimUnverified } from './unverified.ts'

const invalidCode = declareRefusal({
  status: 400,
  code: 'invalid_reset_token',
  message: 'Invalid or expired reset token',
  when: 'The code is wrong, used or expired, or there were five wrong tries: request a new one',
})

export function resetPassword(parts: AccountParts) {
  const { config, database, codes, outbox, messages, providerTitle, clientInfoOf, admitHash, refuseBreachedPassword } =
    parts
  return publicOperation({
    id: 'resetPassword',
    summary: 'Choose a new password with the mailed code',
    message: 'Password reset successfully',
    description:
      'Ends every session of the account. The code proves the mailbox, so the address counts as verified; an account ' +
      'that was not verified before gets a neutral name, since somebody else may have registered it.',
    body: Type.Object({
      email: Email,
      resetToken: Code,
      password: newPassword(config.passwordPolicy),
      confirmPassword: confirmationOf('password'),
    }),
    refusals: [invalidCode, ...ADMISSION_REFUSALS],
    limits: ['password'],
    async handle({ body: { email, resetToken, password }, request }) {
      const { now } = database
      const clientInfo = clientInfoOf(request)
      // The password is hashed before the code is checked. No transaction stays open meanwhile, and the response takes
      // as long for an unknown address as for a known one.
      const client = await admitHash(request)
      await refuseBreachedPassword('password', password)
      const passwordHash = await hashPassword(password, client)
      const isReset = await withMinimumDuration(() =>
        database.transaction(async (tx) => {
          const lockedUser = await lockUser(tx, { email })
          if (!lockedUser || !(await codes.redeem(tx, lockedUser, 'reset', resetToken))) return false
          const isFirstProof = lockedUser.email_verified_at === null
          const user = isFirstProof ? await claimUnverified(tx, parts, email, clientInfo) : lockedUser
          if (isFirstProof) {
            await admit(tx, parts, user)
            await parts.webhookEvents.enqueue(tx, 'account.verified', { userId: user.id, email })
          }
          await tx.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', user.id).execute()
          await tx.deleteFrom('codes').where('user_id', '=', user.id).execute()
          await endSessions(tx, now, user.id)
          await forgetSecondFactorProofs(tx, user.id)
          await recordEvent(tx, now, { type: 'password.reset', userId: user.id, clientInfo })
          const others = [
            ...(await linkedProviders(tx, user.id)).map(providerTitle),
            ...(await passkeysOf(tx, user.id)),
          ]
          await outbox.enqueue(tx, email, messages.passwordReset(user.first_name, clientInfo, others))
          return true
        }),
      )
      if (!isReset) throw new Refusal(invalidCode)
      return {}
    },
  })
}

async function linkedProviders(tx: Tx, userId: string): Promise<AuthMethod[]> {
  const rows = await tx
    .selectFrom('linked_accounts')
    .select('provider')
    .distinct()
    .where('user_id', '=', userId)
    .orderBy('provider')
    .execute()
  return rows.map(({ provider }) => provider)
}

/** The number of passkeys in words. Their names are left out, since an attacker may have chosen them. */
async function passkeysOf(tx: Tx, userId: string): Promise<string[]> {
  const { count } = await tx
    .selectFrom('passkeys')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return count === 0 ? [] : [count === 1 ? '1 passkey' : `${count} passkeys`]
}
