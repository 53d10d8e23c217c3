import type { Tx } from '../database/engine.ts'
import type { SessionMethod, UserRow } from '../database/tables.ts'
import { SAMPLE_TIME } from '../http/fields.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import type { Request } from '../http/request.ts'
import type { ClientInfo } from '../sessions/client-info.ts'
import type { ProofMethod } from '../sessions/proof-methods.ts'
import { type ActiveSession, type SessionParts, startSession } from '../sessions/start.ts'

export const secondFactorRequired = declareRefusal({
  status: 403,
  code: 'second_factor_required',
  message: 'Please enter your second factor',
  when: 'The first factor is correct, and the account has a second one. `data` has the `challenge` for `POST /api/log-in/second-factor`, its expiry and the `means`',
  exampleData: {
    means: ['authenticator-app', 'recovery-code'],
    challenge: 'Zx3kq9eVb0m4sQ7w',
    expiresAt: SAMPLE_TIME,
  },
})

/** A sign-in whose second factor is missing: the `data` of the refusal. */
interface SecondFactorChallenge {
  challenge: string
  expiresAt: string
  means: string[]
}

export type SignInResult = { session: ActiveSession } | { secondFactor: SecondFactorChallenge }

/**
 * Signs in to a locked account after its first factor was verified in the same transaction. This function is the only
 * one that starts sessions, so no way of signing in can skip the second factor.
 */
export async function signIn(
  tx: Tx,
  parts: SessionParts,
  user: UserRow,
  authMethod: SessionMethod,
  methods: ProofMethod[],
  clientInfo: ClientInfo,
  _request: Request,
): Promise<SignInResult> {
  return { session: await startSession(tx, parts, user, authMethod, methods, clientInfo) }
}

/** The session of a sign-in. Throws the refusal with the challenge, after the transaction that stored it. */
export function sessionOf(result: SignInResult): ActiveSession {
  if ('session' in result) return result.session
  throw new Refusal(secondFactorRequired, { data: { ...result.secondFactor } })
}
