import { randomUUID } from 'node:crypto'
import Type from 'typebox'
import type { Tx } from '../database/engine.ts'
import { publicOperation } from '../http/operation.ts'
import { Refusal } from '../http/refusal.ts'
import { originOf } from '../sessions/device.ts'
import { recordEvent } from '../sessions/security-events.ts'
import { CODE_LIFETIME } from './codes.ts'
import { confirmationOf, Email, Name, NewPassword } from './fields.ts'
import type { AccountParts } from './parts.ts'
import { hashPassword } from './password.ts'
import { usernameCandidates, usernameKey } from './username.ts'

const emailTaken = { status: 409, message: 'Email already registered' }

export function createAccount({ database, store, codes, outbox, messages }: AccountParts) {
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
      const userId = await database.transaction(async (tx) => {
        const userId = await insertUser(tx, { firstName, lastName, email, passwordHash })
        await recordEvent(tx, database.now, { type: 'account.created', userId, origin: originOf(request) })
        const code = await codes.issue(tx, userId, 'verification')
        await outbox.post(tx, email, messages.verificationCode(firstName, code), {
          milliseconds: CODE_LIFETIME,
        })
        return userId
      })
      return {
        message: 'Account created successfully. Please check your email for the verification code',
        data: { userId, email },
      }
    },
  })

  async function insertUser(
    tx: Tx,
    {
      firstName,
      lastName,
      email,
      passwordHash,
    }: { firstName: string; lastName: string; email: string; passwordHash: string },
  ): Promise<string> {
    for (const username of usernameCandidates(firstName, lastName)) {
      const inserted = await tx
        .insertInto('users')
        .values({
          id: randomUUID(),
          email,
          password_hash: passwordHash,
          auth_method: 'email',
          first_name: firstName,
          last_name: lastName,
          username,
          username_key: usernameKey(username),
          created_at: database.now,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst()
      if (inserted) return inserted.id
      const holder = await tx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
      if (holder) throw new Refusal(emailTaken)
    }
    throw new Error('ran out of usernames')
  }
}
