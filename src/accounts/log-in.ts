import { counter } from '../http/limits.ts'
import { publicOperation } from '../http/operation.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { SIGN_IN_REFUSALS, sessionOf, signIn } from '../proofs/sign-in.ts'
import { lockUser } from '../sessions/lock-user.ts'
import { Email, Password } from './fields.ts'
import type { AccountParts } from './parts.ts'
import { verifyPassword } from './password.ts'
import { refreshLinks, SignedIn, signedIn } from './signed-in.ts'

const wrongCredentials = declareRefusal({
  status: 401,
  code: 'invalid_credentials',
  message: 'Invalid email or password',
  when: 'No account has the address, or its password is another one',
})
export const notVerified = declareRefusal({
  status: 403,
  code: 'email_not_verified',
  message: 'Please verify your email before logging in',
  when: 'The password is correct, and the address of the account is not verified',
})

export function logIn(parts: AccountParts) {
  const { database, store, tokens, addressOf, admitHash, clientInfoOf, failedPasswords } = parts
  return publicOperation({
    id: 'logIn',
    summary: 'Log in with e-mail and password',
    message: 'Login successful',
    body: Type.Object({ email: Email, password: Password }),
    data: SignedIn,
    refusals: [wrongCredentials, notVerified, ...SIGN_IN_REFUSALS],
    links: refreshLinks,
    limits: ['login', 'password'],
    async handle({ body: { email, password }, request }) {
      const client = await admitHash(request, counter('login', email, addressOf(request)))
      const user = await store.findByEmail(email)
      const isCorrect = await verifyPassword(password, user?.password_hash, client)
      const clientInfo = clientInfoOf(request)
      if (!user || !isCorrect) {
        if (user) failedPasswords.record('log-in.failed', user.id, clientInfo)
        throw new Refusal(wrongCredentials)
      }
      if (user.email_verified_at === null) throw new Refusal(notVerified)

      const result = await database.transaction(async (tx) => {
        // The account may have been deleted while the password was verified, or its password may have been reset. A
        // reset ends all sessions, so a session that was authorised by the old password must not start after it.
        const lockedUser = await lockUser(tx, { id: user.id })
        if (lockedUser?.password_hash !== user.password_hash) throw new Refusal(wrongCredentials)
        return signIn(tx, parts, lockedUser, 'email', ['pwd'], clientInfo, request)
      })
      return { data: signedIn(tokens, sessionOf(result), clientInfo, user) }
    },
  })
}
