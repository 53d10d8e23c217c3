import { recordEvent } from '../events/security-events.ts'
import { withMinimumDuration } from '../http/minimum-duration.ts'
import { publicOperation } from '../http/operation.ts'
import { counter } from '../http/rate-limit.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { lockUser } from '../sessions/lock-user.ts'
import { Email } from './fields.ts'
import { mailCode } from './mail-code.ts'
import type { AccountParts } from './parts.ts'

export const mailedCodesOff = declareRefusal({
  status: 404,
  code: 'mailed_code_log_in_off',
  message: 'Logging in with a mailed code is turned off',
  when: 'The service is set up with `MAILED_CODE_LOG_IN=off`',
})

export function logInCode(parts: AccountParts) {
  const { config, database, limits, addressOf, clientInfoOf } = parts
  return publicOperation({
    id: 'requestLogInCode',
    summary: 'Mail a code to log in with',
    message: 'If an account with that email exists, a code to log in has been sent',
    description:
      'The response is the same whether or not a verified account has the address. A newer code ends the one before. ' +
      'No account is created or verified.',
    body: Type.Object({ email: Email }),
    refusals: [mailedCodesOff],
    limits: ['code'],
    async handle({ body: { email }, request }) {
      if (!config.mailedCodeLogIn) throw new Refusal(mailedCodesOff)
      await limits.take(request, counter('code', email, addressOf(request)))
      const clientInfo = clientInfoOf(request)
      await withMinimumDuration(() =>
        database.transaction(async (tx) => {
          const user = await lockUser(tx, { email })
          if (!user || user.email_verified_at === null) return
          if (!(await mailCode(tx, parts, user, 'log-in'))) return
          await recordEvent(tx, database.now, { type: 'log-in.code-requested', userId: user.id, clientInfo })
        }),
      )
      return {}
    },
  })
}
