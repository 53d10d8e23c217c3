import { counter } from '../http/rate-limit.ts'
import { declareRefusal } from '../http/refusal.ts'
import type { Caller, Request } from '../http/request.ts'
import type { AccountParts } from './parts.ts'
import { verifyPassword } from './password-hash.ts'

export const wrongPassword = declareRefusal({
  status: 400,
  code: 'wrong_password',
  message: 'Password is incorrect',
  when: 'The password of the account is another one',
})

/**
 * Verifies the password of a signed-in caller, and records a wrong one. An account without a password has no correct
 * one. The check counts as a log-in, because it can be used to guess the password with a stolen session.
 */
export async function isOwnPassword(
  { addressOf, admitHash, findSignerKey, clientInfoOf, refusedProofs }: AccountParts,
  request: Request,
  { user, sessionId }: Caller,
  password: string,
): Promise<boolean> {
  const client = await admitHash(request, counter('login', user.email, addressOf(request)))
  if (await verifyPassword(password, user.password_hash, client, findSignerKey)) return true
  refusedProofs.record('password.refused', user.id, clientInfoOf(request), sessionId)
  return false
}
