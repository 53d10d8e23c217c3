import Type from 'typebox'
import { publicOperation } from '../http/operation.ts'
import { originOf } from '../sessions/device.ts'
import { recordEvent } from '../sessions/security-events.ts'
import { CODE_LIFETIME } from './codes.ts'
import { Email } from './fields.ts'
import type { AccountParts } from './parts.ts'

export function forgotPassword({ database, store, codes, outbox, messages, limits, addressOf }: AccountParts) {
  return publicOperation({
    summary: 'Mail a code to reset the password',
    description: 'The answer is the same whether or not the account exists.',
    body: Type.Object({ email: Email }),
    async handle({ body: { email }, request }) {
      await limits.take('reset', email, addressOf(request))
      const user = await store.findByEmail(email)
      if (user) {
        await database.transaction(async (tx) => {
          const code = await codes.issue(tx, user.id, 'reset')
          await recordEvent(tx, database.now, {
            type: 'password.reset-requested',
            userId: user.id,
            origin: originOf(request),
          })
          await outbox.post(tx, email, messages.resetCode(user.first_name, code), {
            milliseconds: CODE_LIFETIME,
          })
        })
      }
      return { message: 'If an account with that email exists, a password reset code has been sent' }
    },
  })
}
