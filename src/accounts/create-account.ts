import { publicOperation } from '../http/operation.ts'
import { Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { originOf } from '../sessions/device.ts'
import { recordEvent } from '../sessions/security-events.ts'
import { confirmationOf, Email, Name, NewPassword } from './fields.ts'
import { mailCode } from './mail-code.ts'
import { insertUser } from './new-user.ts'
import type { AccountParts } from './parts.ts'
import { hashPassword } from './password.ts'

const emailTaken = { status: 409, message: 'Email already registered' }

export function createAccount(parts: AccountParts) {
  const { database, store } = parts
  return publicOperation({
    summary: 'Create an account and mail its verification code',
    status: 201,
    body: Type.Object({
      firstName: Name,
      lastName: Name,
      email: Email,
      password: NewPassword,
      confirmPassword: confirmationOf('password'),
    }),
    data: Type.Object({ userId: Type.String(), email: Type.String() }),
    refusals: [emailTaken],
    async handle({ body: { firstName, lastName, email, password }, request }) {
      // Spares the hash; the unique index decides.
      if (await store.findByEmail(email)) throw new Refusal(emailTaken)
      const passwordHash = await hashPassword(password)
      const newcomer = { email, passwordHash, authMethod: 'email', isVerified: false, firstName, lastName } as const
      const userId = await database.transaction(async (tx) => {
        const user = await insertUser(tx, database.now, newcomer)
        if (!user) throw new Refusal(emailTaken)
        await recordEvent(tx, database.now, { type: 'account.created', userId: user.id, origin: originOf(request) })
        await mailCode(tx, parts, user, 'verification')
        return user.id
      })
      return {
        message: 'Account created successfully. Please check your email for the verification code',
        data: { userId, email },
      }
    },
  })
}
