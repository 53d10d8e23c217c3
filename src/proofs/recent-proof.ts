import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { Query, Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import type { Caller } from '../http/request.ts'
import { lockCaller } from '../sessions/lock-user.ts'
import { PROOF_COLUMNS, type Proof, type ProofMethod, proofOf, storedMethods } from '../sessions/proof-methods.ts'
import { type Means, meansOf } from './means.ts'

export const reauthenticationRequired = declareRefusal({
  status: 403,
  code: 'reauthentication_required',
  message: 'Please prove your identity again',
  when: 'The last proof of identity in this session is older than `REAUTHENTICATE_AFTER`, or the account is of an owner with a passkey or an authenticator app, which this session has not used. `data.means` has the means that are accepted by `POST /api/reauthenticate`',
  exampleData: { means: ['password', 'passkey'] },
})

export interface ProofParts {
  config: Pick<Config, 'reauthenticateAfterMs'>
  database: Database
}

/** The means that a stolen password does not give. */
export const STRONG_MEANS: Means[] = ['passkey', 'authenticator-app']
const STRONG_METHODS: ProofMethod[] = ['otp', 'hwk', 'swk']

/**
 * Throws unless the session has used a passkey or an authenticator app, if the account has one. With a stolen password
 * alone, nobody acts as an owner, nor removes or adds the means that would let them.
 */
export async function requireStrongProof(
  query: Query | Tx,
  { sessionId, user }: Pick<Caller, 'sessionId' | 'user'>,
): Promise<void> {
  const means = (await meansOf(query, user)).filter((name) => STRONG_MEANS.includes(name))
  if (means.length === 0) return
  const session = await query
    .selectFrom('sessions')
    .select(PROOF_COLUMNS)
    .where('id', '=', sessionId)
    .executeTakeFirst()
  const isStrong = session && proofOf(session).methods.some((method) => STRONG_METHODS.includes(method))
  if (!isStrong) throw new Refusal(reauthenticationRequired, { data: { means } })
}

/** `requireStrongProof`, if the account is of an owner. */
export async function requireOwnerProof(query: Query | Tx, caller: Pick<Caller, 'sessionId' | 'user'>): Promise<void> {
  if (caller.user.role === 'owner') await requireStrongProof(query, caller)
}

/**
 * Removes strong methods from the proofs of the other sessions of an account. Called before its first passkey or app is
 * added: these sessions have used one that was removed since, which may have been that of a thief.
 */
export async function withdrawStrongProofs(
  tx: Tx,
  { sessionId, user }: Pick<Caller, 'sessionId' | 'user'>,
): Promise<void> {
  if ((await meansOf(tx, user)).some((name) => STRONG_MEANS.includes(name))) return
  const others = await tx
    .selectFrom('sessions')
    .select(['id', ...PROOF_COLUMNS])
    .where('user_id', '=', user.id)
    .where('id', '!=', sessionId)
    .where('revoked_at', 'is', null)
    .execute()
  for (const { id, ...session } of others) {
    const { methods } = proofOf(session)
    const weak = methods.filter((method) => !STRONG_METHODS.includes(method))
    if (weak.length === methods.length) continue
    await tx
      .updateTable('sessions')
      .set({ auth_methods: storedMethods(weak) })
      .where('id', '=', id)
      .execute()
  }
}

/**
 * Throws unless the account holder has proved their identity recently, and an owner with strong means by one of them.
 * An operation that does costly work before its transaction calls this first, and `lockProvenCaller` in the
 * transaction.
 */
export async function requireRecentProof(
  query: Query | Tx,
  { config, database }: ProofParts,
  { sessionId, user }: Caller,
): Promise<void> {
  await requireOwnerProof(query, { sessionId, user })
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
