import { counter } from '../http/limits.ts'
import { operation } from '../http/operation.ts'
import { declareRefusal, invalid, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { lockCaller } from '../sessions/lock-user.ts'
import { Password } from './fields.ts'
import type { AccountParts } from './parts.ts'
import { verifyPassword } from './password.ts'

const wrongPassword = declareRefusal({
  status: 400,
  code: 'wrong_password',
  message: 'Password is incorrect',
  when: 'The password of the account is another one',
})

// The mail that confirms the deletion is the last personal data of the account. The outbox deletes it when it cannot be
// delivered within a day.
const NOTICE_LIFETIME = { milliseconds: 24 * 60 * 60_000 }

export function deleteAccount(parts: AccountParts) {
  const { database, outbox, messages, addressOf, admitHash, clientInfoOf, failedPasswords } = parts
  return operation({
    id: 'deleteAccount',
    summary: 'Delete the account and everything that belongs to it',
    message: 'Account deleted successfully',
    description: 'An account with a password gives it; one without sends no body.',
    body: Type.Object({ password: Type.Optional(Password) }),
    refusals: [wrongPassword],
    limits: ['login', 'password'],
    async handle({ body: { password }, caller, request }) {
      const { user } = caller
      if (user.password_hash !== null) {
        if (password === undefined) throw invalid('password', 'required', 'Password is required')
        const client = await admitHash(request, counter('login', user.email, addressOf(request)))
        if (!(await verifyPassword(password, user.password_hash, client))) {
          failedPasswords.record('password.refused', user.id, clientInfoOf(request), caller.sessionId)
          throw new Refusal(wrongPassword)
        }
      }
      await database.transaction(async (tx) => {
        await lockCaller(tx, database.now, caller)
        const deleted = await tx
          .deleteFrom('users')
          .where('id', '=', user.id)
          .where('password_hash', user.password_hash === null ? 'is' : '=', user.password_hash)
          .returning('id')
          .executeTakeFirst()
        if (!deleted) throw new Refusal(wrongPassword)
        await tx.deleteFrom('outbox').where('recipient', '=', user.email).execute()
        await outbox.post(tx, user.email, messages.accountDeleted(user.first_name), NOTICE_LIFETIME)
      })
      await database.eraseDeletedContent()
      return {}
    },
  })
}
