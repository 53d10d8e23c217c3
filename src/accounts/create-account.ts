import { inEvenTime } from '../http/even-time.ts'
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
import { markRegisteredAgain } from './unverified.ts'

const emailTaken = { status: 409, message: 'Email already registered' }

export function createAccount(parts: AccountParts) {
  const { database, store } = parts
  return publicOperation({
    summary: 'Create an account and mail its verification code',
    description:
      'An address that was registered more than once before its verification may have been registered by different ' +
      'people: verifying it then gives an account without a password, which its owner sets with change-password.',
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
      if (await store.findByEmail(email)) {
        await inEvenTime(() => database.transaction((tx) => markRegisteredAgain(tx, database.now, email)))
        throw new Refusal(emailTaken)
      }
      const passwordHash = await hashPassword(password)
      const newcomer = { email, passwordHash, authMethod: 'email', isVerified: false, firstName, lastName } as const
      const userId = await database.transaction(async (tx) => {
        const user = await insertUser(tx, database.now, newcomer)
        if (!user) return markRegisteredAgain(tx, database.now, email)
        await recordEvent(tx, database.now, { type: 'account.created', userId: user.id, origin: originOf(request) })
        await mailCode(tx, parts, user, 'verification')
        return user.id
      })
      if (!userId) throw new Refusal(emailTaken)
      return {
        message: 'Account created successfully. Please check your email for the verification code',
        data: { userId, email },
      }
    },
  })
}
