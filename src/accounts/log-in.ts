import type { ClientInfo } from '../http/client-info.ts'
import { publicOperation } from '../http/operation.ts'
import { counter } from '../http/rate-limit.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { SIGN_IN_REFUSALS, sessionOf, signIn } from '../proofs/sign-in.ts'
import { lockUser } from '../sessions/lock-user.ts'
import { Email, Password } from './fields.ts'
import type { HashClient } from './hash-queue.ts'
import { createFailedLogInPadding } from './imported-hashes.ts'
import { newerHash } from './newer-hash.ts'
import type { AccountParts } from './parts.ts'
import { isOutdated, verifyPassword } from './password-hash.ts'
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
  const { database, store, tokens, addressOf, admitHash, findSignerKey, clientInfoOf, refusedProofs } = parts
  const padFailedLogIn = createFailedLogInPadding(database)
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
      const clientInfo = clientInfoOf(request)
      for (;;) {
        const user = await provenUser(email, password, client, clientInfo)
        const newHash = await newerHash(password, user.password_hash, client)
        const result = await database.transaction(async (tx) => {
          // The account may have been deleted while the password was verified, or its password may have been reset. A
          // reset ends all sessions, so a session that was authorised by the old password must not start after it.
          const lockedUser = await lockUser(tx, { id: user.id })
          if (lockedUser?.password_hash !== user.password_hash) return undefined
          if (newHash) await tx.updateTable('users').set({ password_hash: newHash }).where('id', '=', user.id).execute()
          return signIn(tx, parts, lockedUser, 'email', ['pwd'], clientInfo, request)
        })
        if (result) return { data: signedIn(tokens, sessionOf(result), clientInfo, user) }
        // A concurrent log-in may have replaced an outdated hash. The password is then verified against the new one.
        if (!isOutdated(user.password_hash)) throw new Refusal(wrongCredentials)
      }
    },
  })

  /** The account with this address and password. Throws if there is none, or if its address is not verified. */
  async function provenUser(email: string, password: string, client: HashClient, clientInfo: ClientInfo) {
    const beganAtMs = performance.now()
    const user = await store.findByEmail(email)
    const isCorrect = await verifyPassword(password, user?.password_hash, client, findSignerKey)
    if (!user || user.password_hash === null || !isCorrect) {
      if (user) refusedProofs.record('log-in.failed', user.id, clientInfo)
      await padFailedLogIn(beganAtMs)
      throw new Refusal(wrongCredentials)
    }
    if (user.email_verified_at === null) throw new Refusal(notVerified)
    return { ...user, password_hash: user.password_hash }
  }
}
