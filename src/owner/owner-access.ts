import type { Database } from '../database/database.ts'
import type { Caller, Request } from '../http/request.ts'
import { requireStrongProof } from '../proofs/recent-proof.ts'
import type { createAuthenticate } from '../sessions/authenticate.ts'

/**
 * The one check of the owner's role. Returns undefined for any other caller. If the account has a passkey or an
 * authenticator app, the session must have used one of them: a stolen password is not enough.
 */
export async function requireOwner({ query }: Pick<Database, 'query'>, caller: Caller | undefined) {
  if (caller?.user.role !== 'owner') return undefined
  await requireStrongProof(query, caller)
  return caller
}

/** Returns a function that authenticates the requests of owners to the API. */
export function createAuthenticateOwner(
  database: Pick<Database, 'query'>,
  authenticate: ReturnType<typeof createAuthenticate>,
) {
  return async (request: Request) => requireOwner(database, await authenticate(request))
}
