import Type from 'typebox'
import { publicOperation } from '../http/operation.ts'
import { Refusal } from '../http/refusal.ts'
import { originOf } from '../sessions/device.ts'
import { recordEvent } from '../sessions/security-events.ts'
import { startSession } from '../sessions/start.ts'
import { Code, Email } from './fields.ts'
import type { AccountParts } from './parts.ts'
import { SignedIn, signedIn } from './signed-in.ts'

const invalidCode = { status: 400, message: 'Invalid or expired verification code' }

export function verifyEmail(parts: AccountParts) {
  const { database, store, codes, tokens } = parts
  return publicOperation({
    summary: 'Verify the e-mail address with the mailed code, and sign in',
    body: Type.Object({ email: Email, verificationCode: Code }),
    data: SignedIn,
    refusals: [invalidCode],
    async handle({ body: { email, verificationCode }, request }) {
      const user = await store.findByEmail(email)
      if (!user) throw new Refusal(invalidCode)
      const origin = originOf(request)
      const session = await database.transaction(async (tx) => {
        if (!(await codes.redeem(tx, user.id, 'verification', verificationCode))) return undefined
        await tx.updateTable('users').set({ email_verified_at: database.now }).where('id', '=', user.id).execute()
        await recordEvent(tx, database.now, { type: 'email.verified', userId: user.id, origin })
        return startSession(tx, parts, user, 'email', origin)
      })
      if (!session) throw new Refusal(invalidCode)
      return { message: 'Email verified successfully', data: await signedIn(tokens, session, origin, user) }
    },
  })
}
