import { recordEvent } from '../events/security-events.ts'
import { withMinimumDuration } from '../http/minimum-duration.ts'
import { publicOperation } from '../http/operation.ts'
import { counter } from '../http/rate-limit.ts'
import { Type } from '../http/schema.ts'
import { lockUser } from '../sessions/lock-user.ts'
import { Email } from './fields.ts'
import { mailCode } from './mail-code.ts'
import type { AccountParts } from './parts.ts'

export function forgotPassword(parts: AccountParts) {
  const { database, limits, addressOf } = parts
  return publicOperation({
    id: 'forgotPassword',
    summary: 'Mail a code to reset the password',
    message: 'If an account with that email exists, a password reset code has been sent',
    description: 'The response is the same whether or not the account exists.',
    body: Type.Object({ email: Email }),
    limits: ['reset'],
    async handle({ body: { email }, request }) {
      await limits.take(request, counter('reset', email, addressOf(request)))
      const clientInfo = parts.clientInfoOf(request)
      await withMinimumDuration(() =>
        database.transaction(async (tx) => {
          const user = await lockUser(tx, { email })
          if (!user) return
          if (!(await mailCode(tx, parts, user, 'reset'))) return
          await recordEvent(tx, database.now, { type: 'password.reset-requested', userId: user.id, clientInfo })
        }),
      )
      return {}
    },
  })
}
