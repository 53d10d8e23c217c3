import type { Tx } from '../database/engine.ts'
import type { SessionMethod } from '../database/enumerations.ts'
import type { UserRow } from '../database/tables.ts'
import type { ClientInfo } from '../http/client-info.ts'
import { SAMPLE_TIME } from '../http/fields.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import type { Request } from '../http/request.ts'
import { isoTime } from '../lib/dates.ts'
import type { ProofMethod } from '../sessions/proof-methods.ts'
import { type ActiveSession, type SessionParts, startSession } from '../sessions/start.ts'
import { accountSuspended } from '../sessions/suspension.ts'
import { readFactors, type SecondFactorParts, secondFactorMeans } from './second-factor.ts'

const PASSKEY_METHODS: ProofMethod[] = ['hwk', 'swk']

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

/** The refusals of every operation that calls `signIn`. */
export const SIGN_IN_REFUSALS = [secondFactorRequired, accountSuspended]

/** A sign-in whose second factor is missing: the `data` of the refusal. */
interface SecondFactorChallenge {
  challenge: string
  expiresAt: string
  means: string[]
}

export type SignInResult = { session: ActiveSession } | { secondFactor: SecondFactorChallenge }

/**
 * Signs in to a locked account after its first factor was verified in the same transaction. All ways of signing in call
 * this function, so none of them can skip the second factor. Besides, only `accounts/log-in-second-factor.ts` starts
 * sessions. A passkey verifies its user, so it counts as both factors.
 */
export async function signIn(
  tx: Tx,
  parts: SessionParts & SecondFactorParts,
  user: UserRow,
  authMethod: SessionMethod,
  methods: ProofMethod[],
  clientInfo: ClientInfo,
  request: Request,
): Promise<SignInResult> {
  if (
    user.second_factor_required === 0 ||
    methods.some((method) => PASSKEY_METHODS.includes(method)) ||
    (await parts.rememberedBrowsers.isRemembered(tx, user.id, request))
  ) {
    return { session: await startSession(tx, parts, user, authMethod, methods, clientInfo) }
  }
  const { token, expiresAt } = await parts.secondFactorChallenges.issue(tx, user.id, { authMethod, methods })
  const means = secondFactorMeans(await readFactors(tx, parts, user.id))
  return { secondFactor: { challenge: token, expiresAt: isoTime(expiresAt), means } }
}

/** The session of a sign-in. Throws the refusal with the challenge, after the transaction that stored it. */
export function sessionOf(result: SignInResult): ActiveSession {
  if ('session' in result) return result.session
  throw new Refusal(secondFactorRequired, { data: { ...result.secondFactor } })
}

/** The page that asks a browser for the second factor, and opens another path after it. */
export function secondFactorPagePath(returnTo: string): string {
  return `/log-in/second-factor?${new URLSearchParams({ return_to: returnTo })}`
}
