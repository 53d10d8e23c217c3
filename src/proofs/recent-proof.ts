import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { Query, Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import type { Caller } from '../http/request.ts'
import { lockCaller } from '../sessions/lock-user.ts'
import { PROOF_COLUMNS, type Proof, type ProofMethod, proofOf, storedMethods } from '../sessions/proof-methods.ts'
import { meansOf } from './means.ts'

export const reauthenticationRequired = declareRefusal({
  status: 403,
  code: 'reauthentication_required',
  message: 'Please prove your identity again',
  when: 'The last proof of identity in this session is older than `REAUTHENTICATE_AFTER`. `data.means` has the means of this account, for `POST /api/reauthenticate`',
  exampleData: { means: ['password', 'passkey'] },
})

export interface ProofParts {
  config: Pick<Config, 'reauthenticateAfterMs'>
  database: Database
}

/**
 * Throws unless the account holder has proved their identity recently. An operation that does costly work before
 * its transaction calls this first, and `lockProvenCaller` in the transaction.
 */
export async function requireRecentProof(
  query: Query | Tx,
  { config, database }: ProofParts,
  { sessionId, user }: Caller,
): Promise<void> {
  const { now } = database
  const recent = await query
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', sessionId)
    .where((eb) =>
      eb(eb.fn.coalesce('authenticated_at', 'created_at'), '>', eb(now, '-', config.reauthenticateAfterMs)),
    )
    .executeTakeFirst()
  if (!recent) throw new Refusal(reauthenticationRequired, { data: { means: await meansOf(query, user) } })
}

/** Locks the caller's account, as `lockCaller` does, and requires a recent proof of identity. */
export async function lockProvenCaller(tx: Tx, parts: ProofParts, caller: Caller): Promise<UserRow> {
  const user = await lockCaller(tx, parts.database.now, caller)
  await requireRecentProof(tx, parts, { ...caller, user })
  return user
}

/** Stores a new proof of identity in a session whose account is locked. The methods of earlier proofs stay. */
export async function recordProof(
  tx: Tx,
  now: Database['now'],
  sessionId: string,
  newMethods: ProofMethod[],
): Promise<Proof> {
  const session = await tx
    .selectFrom('sessions')
    .select(PROOF_COLUMNS)
    .where('id', '=', sessionId)
    .executeTakeFirstOrThrow()
  const updated = await tx
    .updateTable('sessions')
    .set({ authenticated_at: now, auth_methods: storedMethods([...proofOf(session).methods, ...newMethods]) })
    .where('id', '=', sessionId)
    .returning(PROOF_COLUMNS)
    .executeTakeFirstOrThrow()
  return proofOf(updated)
}
