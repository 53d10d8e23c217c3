import type { Database } from '../database/database.ts'
import { Refusal } from '../http/refusal.ts'
import type { Caller, Request } from '../http/request.ts'
import { type Means, meansOf } from '../proofs/means.ts'
import { reauthenticationRequired } from '../proofs/recent-proof.ts'
import type { createAuthenticate } from '../sessions/authenticate.ts'
import { PROOF_COLUMNS, type ProofMethod, proofOf } from '../sessions/proof-methods.ts'

/** The means that a stolen password does not give. */
export const STRONG_MEANS: Means[] = ['passkey', 'authenticator-app']
const STRONG_METHODS: ProofMethod[] = ['otp', 'hwk', 'swk']

/**
 * The one check of the owner's role. Returns undefined for any other caller. If the account has a passkey or an
 * authenticator app, the session must have used one of them: a stolen password is not enough.
 */
export async function requireOwner({ query }: Pick<Database, 'query'>, caller: Caller | undefined) {
  if (caller?.user.role !== 'owner') return undefined
  const means = (await meansOf(query, caller.user)).filter((name) => STRONG_MEANS.includes(name))
  if (means.length === 0) return caller
  const session = await query
    .selectFrom('sessions')
    .select(PROOF_COLUMNS)
    .where('id', '=', caller.sessionId)
    .executeTakeFirst()
  const isStrong = session && proofOf(session).methods.some((method) => STRONG_METHODS.includes(method))
  if (!isStrong) throw new Refusal(reauthenticationRequired, { data: { means } })
  return caller
}

/** Returns a function that authenticates the requests of owners to the API. */
export function createAuthenticateOwner(
  database: Pick<Database, 'query'>,
  authenticate: ReturnType<typeof createAuthenticate>,
) {
  return async (request: Request) => requireOwner(database, await authenticate(request))
}
