import type { Config } from '../config/config.ts'
import type { UserRow } from '../database/tables.ts'
import { StoredEmail, UserId } from '../http/fields.ts'
import { networkCounters } from '../http/limits.ts'
import { withMinimumDuration } from '../http/minimum-duration.ts'
import { publicOperation } from '../http/operation.ts'
import { Refusal } from '../http/refusal.ts'
import { type Static, Type } from '../http/schema.ts'
import type { Origin } from '../sessions/client-info.ts'
import { recordEvent } from '../sessions/security-events.ts'
import { confirmationOf, Email, Name, newPassword } from './fields.ts'
import type { HashClient } from './hash-queue.ts'
import { mailCode } from './mail-code.ts'
import { insertUser } from './new-user.ts'
import type { AccountParts } from './parts.ts'
import { hashPassword, verifyPassword } from './password.ts'
import { countRegistration, uncountRegistration } from './unverified.ts'

const emailTaken = { status: 409, message: 'Email already registered' }

const registration = (policy: Config['passwordPolicy']) =>
  Type.Object({
    firstName: Name,
    lastName: Type.String({ ...Name, examples: ['Lovelace'] }),
    email: Email,
    password: newPassword(policy),
    confirmPassword: confirmationOf('password'),
  })
type Registration = Static<ReturnType<typeof registration>>

export function createAccount(parts: AccountParts) {
  const { database, store, ipOf, clientInfoOf, admitHash } = parts
  return publicOperation({
    summary: 'Create an account and mail its verification code',
    message: 'Account created successfully. Please check your email for the verification code',
    description:
      'Different registrations of one address before its verification may be of different people: verifying ' +
      'it then gives an account without a password, which its owner sets with change-password.',
    status: 201,
    body: registration(parts.config.passwordPolicy),
    data: Type.Object({ userId: UserId, email: StoredEmail }),
    refusals: [emailTaken],
    limits: ['registration', 'password'],
    async handle({ body, request }) {
      const { email } = body
      const client = await admitHash(request, ...networkCounters('registration', ipOf(request)))
      const found = await store.findByEmail(email)
      // The unique index decides: of two that find nothing at once, one gets the account.
      const userId = found ? undefined : await register(body, client, clientInfoOf(request))
      if (!userId) {
        await rememberRegistration(body, client, found ?? (await store.findByEmail(email)))
        throw new Refusal(emailTaken)
      }
      return {
        data: { userId, email },
      }
    },
  })

  async function register({ email, password, firstName, lastName }: Registration, client: HashClient, origin: Origin) {
    const passwordHash = await hashPassword(password, client)
    const newcomer = { email, passwordHash, authMethod: 'email', isVerified: false, firstName, lastName } as const
    return database.transaction(async (tx) => {
      const user = await insertUser(tx, database.now, newcomer)
      if (!user) return undefined
      await recordEvent(tx, database.now, { type: 'account.created', userId: user.id, origin })
      await mailCode(tx, parts, user, 'verification')
      return user.id
    })
  }

  /**
   * The address is taken. Somebody who sends the same registration again, password and names, leaves an unverified account
   * as it is. Any other registration may be of another person. It counts before the passwords are compared, which takes a
   * while: a verification meanwhile must know of it. A verified account is not compared with, so that nobody tries its
   * password here.
   */
  async function rememberRegistration(
    { email, password, firstName, lastName }: Registration,
    client: HashClient,
    found?: UserRow,
  ) {
    await countRegistration(database.query, database.now, email)
    const stored = found?.email_verified_at === null ? found.password_hash : null
    const isRight = await verifyPassword(password, stored, client)
    const isSame = isRight && found?.first_name === firstName && found.last_name === lastName
    await withMinimumDuration(() => uncountRegistration(database.query, isSame ? found.id : ''))
  }
}
