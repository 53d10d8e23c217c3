import { recordEvent } from '../events/security-events.ts'
import { SessionReference } from '../http/fields.ts'
import { withMinimumDuration } from '../http/minimum-duration.ts'
import { publicOperation } from '../http/operation.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { SIGN_IN_REFUSALS, sessionOf, signIn } from '../proofs/sign-in.ts'
import { lockUser } from '../sessions/lock-user.ts'
import { ADMISSION_REFUSALS, admit } from './admission.ts'
import { Code, Email } from './fields.ts'
import { grantOwnerRole } from './owner-email.ts'
import type { AccountParts } from './parts.ts'
import { refreshLinks, SignedIn, signedIn } from './signed-in.ts'
import { claimUnverified } from './unverified.ts'

const invalidCode = declareRefusal({
  status: 400,
  code: 'invalid_verification_code',
  message: 'Invalid or expired verification code',
  when: 'The code is wrong, used or expired, or there were five wrong tries: request a new one',
})

export function verifyEmail(parts: AccountParts) {
  const { database, codes, tokens } = parts
  return publicOperation({
    id: 'verifyEmail',
    summary: 'Verify the e-mail address with the mailed code, and sign in',
    message: 'Email verified successfully',
    description: 'An account that was registered in different ways has no password, and a neutral name, after this.',
    body: Type.Object({ email: Email, verificationCode: Code }),
    data: Type.Object({ ...SignedIn.properties, session: SessionReference }, { title: 'EmailVerified' }),
    refusals: [invalidCode, ...ADMISSION_REFUSALS, ...SIGN_IN_REFUSALS],
    links: refreshLinks,
    async handle({ body: { email, verificationCode }, request }) {
      const { now } = database
      const clientInfo = parts.clientInfoOf(request)
      const verified = await withMinimumDuration(() =>
        database.transaction(async (tx) => {
          const lockedUser = await lockUser(tx, { email })
          if (!lockedUser || !(await codes.redeem(tx, lockedUser, 'verification', verificationCode))) return undefined
          const claimed =
            lockedUser.registered_again > 0 ? await claimUnverified(tx, parts, email, clientInfo) : lockedUser
          if (lockedUser.email_verified_at === null) await admit(tx, parts, claimed)
          const user = await grantOwnerRole(tx, parts, claimed, clientInfo)
          await tx.updateTable('users').set({ email_verified_at: now }).where('id', '=', user.id).execute()
          await recordEvent(tx, now, { type: 'email.verified', userId: user.id, clientInfo })
          await parts.webhookEvents.enqueue(tx, 'account.verified', { userId: user.id, email })
          return { user, result: await signIn(tx, parts, user, 'email', ['mail'], clientInfo, request) }
        }),
      )
      if (!verified) throw new Refusal(invalidCode)
      return {
        data: signedIn(tokens, sessionOf(verified.result), clientInfo, verified.user),
      }
    },
  })
}
