import Type from 'typebox'
import { publicOperation } from '../http/operation.ts'
import { originOf } from '../sessions/device.ts'
import { recordEvent } from '../sessions/security-events.ts'
import { CODE_LIFETIME } from './codes.ts'
import { Email } from './fields.ts'
import type { AccountParts } from './parts.ts'

export function resendVerification({ database, store, codes, outbox, messages, limits, addressOf }: AccountParts) {
  return publicOperation({
    summary: 'Mail a new verification code',
    description:
      'Earlier codes stop working. The answer is the same whether or not an unverified account has this address.',
    body: Type.Object({ email: Email }),
    data: Type.Object({ email: Type.String() }),
    async handle({ body: { email }, request }) {
      await limits.take('resend', email, addressOf(request))
      const user = await store.findByEmail(email)
      if (user?.email_verified_at === null) {
        await database.transaction(async (tx) => {
          const code = await codes.issue(tx, user.id, 'verification')
          await recordEvent(tx, database.now, {
            type: 'email.verification-requested',
            userId: user.id,
            origin: originOf(request),
          })
          await outbox.post(tx, email, messages.verificationCode(user.first_name, code), {
            milliseconds: CODE_LIFETIME,
          })
        })
      }
      return { message: 'If the account needs verification, a new code has been sent', data: { email } }
    },
  })
}
