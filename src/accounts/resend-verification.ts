import { recordEvent } from '../events/security-events.ts'
import { StoredEmail } from '../http/fields.ts'
import { withMinimumDuration } from '../http/minimum-duration.ts'
import { publicOperation } from '../http/operation.ts'
import { counter } from '../http/rate-limit.ts'
import { Type } from '../http/schema.ts'
import { lockUser } from '../sessions/lock-user.ts'
import { Email } from './fields.ts'
import { mailCode } from './mail-code.ts'
import type { AccountParts } from './parts.ts'

export function resendVerification(parts: AccountParts) {
  const { database, limits, addressOf } = parts
  return publicOperation({
    id: 'resendVerification',
    summary: 'Mail a new verification code',
    message: 'If the account needs verification, a new code has been sent',
    description:
      'Earlier codes stop working. The response is the same whether or not an unverified account has this address.',
    body: Type.Object({ email: Email }),
    data: Type.Object({ email: StoredEmail }),
    limits: ['resend'],
    async handle({ body: { email }, request }) {
      await limits.take(request, counter('resend', email, addressOf(request)))
      const clientInfo = parts.clientInfoOf(request)
      await withMinimumDuration(() =>
        database.transaction(async (tx) => {
          const user = await lockUser(tx, { email })
          if (user?.email_verified_at !== null) return
          if (!(await mailCode(tx, parts, user, 'verification'))) return
          await recordEvent(tx, database.now, { type: 'email.verification-requested', userId: user.id, clientInfo })
        }),
      )
      return { data: { email } }
    },
  })
}
