import type { Config } from '../config/config.ts'
import type { UserRow } from '../database/tables.ts'
import { recordEvent } from '../events/security-events.ts'
import type { ClientInfo } from '../http/client-info.ts'
import { NO_NUL, StoredEmail, UserId } from '../http/fields.ts'
import { withMinimumDuration } from '../http/minimum-duration.ts'
import { publicOperation } from '../http/operation.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { type Static, Type } from '../http/schema.ts'
import { networkCounters } from '../limits/limits.ts'
import { ADMISSION_REFUSALS, requireAdmission } from './admission.ts'
import { confirmationOf, Email, Name, newPassword } from './fields.ts'
import type { HashClient } from './hash-queue.ts'
import { mailCode } from './mail-code.ts'
import { insertUser } from './new-user.ts'
import type { AccountParts } from './parts.ts'
import { hashPassword, verifyPassword } from './password-hash.ts'
import { countRegistration, uncountRegistration } from './unverified.ts'

export const emailTaken = declareRefusal({
  status: 409,
  code: 'email_taken',
  message: 'Email already registered',
  when: 'An account has the address, or can still be changed back to it',
})

const registration = (policy: Config['passwordPolicy']) =>
  Type.Object({
    firstName: Name,
    lastName: Type.String({ ...Name, examples: ['Lovelace'] }),
    email: Email,
    password: newPassword(policy),
    confirmPassword: confirmationOf('password'),
    invitation: Type.Optional(
      Type.String({
        maxLength: 64,
        ...NO_NUL,
        description: 'The token of the mailed invitation, on a site that needs one',
        examples: ['5f0c2b9e7a1d4836b0e4c9d27f61a853'],
      }),
    ),
  })
type Registration = Static<ReturnType<typeof registration>>

export function createAccount(parts: AccountParts) {
  const { database, store, ipOf, clientInfoOf, admitHash, findSignerKey, refuseBreachedPassword, emailUndos } = parts
  return publicOperation({
    id: 'createAccount',
    summary: 'Create an account and mail its verification code',
    message: 'Account created successfully. Please check your email for the verification code',
    description:
      'Different registrations of one address before its verification may be of different people: verifying ' +
      'it then gives an account without a password, which the account holder sets with change-password.',
    status: 201,
    body: registration(parts.config.passwordPolicy),
    data: Type.Object({ userId: UserId, email: StoredEmail }, { title: 'UserReference' }),
    refusals: [emailTaken, ...ADMISSION_REFUSALS],
    limits: ['registration', 'password'],
    async handle({ body, request }) {
      const { email } = body
      const client = await admitHash(request, ...networkCounters('registration', ipOf(request)))
      // Before the address is looked up, so that a refusal does not depend on the account.
      await requireAdmission(database.query, parts, email, body.invitation)
      // Before the address is looked up, so that the time of this request does not depend on the account.
      await refuseBreachedPassword('password', body.password)
      const existing = await store.findByEmail(email)
      // Of two concurrent registrations that find no account, the unique index on the address admits one.
      const userId = existing ? undefined : await register(body, client, clientInfoOf(request))
      if (!userId) {
        await countRepeatedRegistration(body, client, existing ?? (await store.findByEmail(email)))
        throw new Refusal(emailTaken)
      }
      return {
        data: { userId, email },
      }
    },
  })

  async function register(
    { email, password, firstName, lastName, invitation }: Registration,
    client: HashClient,
    clientInfo: ClientInfo,
  ) {
    const passwordHash = await hashPassword(password, client)
    const newUser = { email, passwordHash, authMethod: 'email', isVerified: false, firstName, lastName } as const
    return database.transaction(async (tx) => {
      // The hash may have waited in its queue.
      await requireAdmission(tx, parts, email, invitation)
      const user = await insertUser(tx, database.now, newUser)
      if (!user) return undefined
      if (await emailUndos.isReserved(tx, email, user.id)) throw new Refusal(emailTaken)
      await recordEvent(tx, database.now, { type: 'account.created', userId: user.id, clientInfo })
      await parts.webhookEvents.enqueue(tx, 'account.created', { userId: user.id, email })
      await mailCode(tx, parts, user, 'verification')
      return user.id
    })
  }

  /**
   * Counts another registration of an address that has an unverified account. A registration with the password and the
   * names of the first one is not counted. Any other registration may come from another person. The count is
   * incremented before the password is verified, so a verification of the address in the meantime sees it, and
   * decremented afterwards if the registration was the same. The password of a verified account is never compared here,
   * so this operation cannot be used to guess it.
   */
  async function countRepeatedRegistration(
    { email, password, firstName, lastName }: Registration,
    client: HashClient,
    existing?: UserRow,
  ) {
    await countRegistration(database.query, database.now, email)
    const storedHash = existing?.email_verified_at === null ? existing.password_hash : null
    const isCorrect = await verifyPassword(password, storedHash, client, findSignerKey)
    const isSame = isCorrect && existing?.first_name === firstName && existing.last_name === lastName
    await withMinimumDuration(() => uncountRegistration(database.query, isSame ? existing.id : ''))
  }
}
