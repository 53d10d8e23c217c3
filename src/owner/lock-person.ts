import { isLastOwner, lockWithOwners } from '../accounts/last-owner.ts'
import type { Clock } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import type { Actor } from '../events/owner-actions.ts'
import { declareRefusal, notFound, Refusal } from '../http/refusal.ts'
import { lockSessionAccount } from '../sessions/lock-user.ts'

export const unknownPerson = declareRefusal({
  status: 404,
  code: 'person_not_found',
  message: 'There is no such person',
  when: 'No account has the id. An owner may have deleted it',
})

export const unverifiedPerson = declareRefusal({
  status: 409,
  code: 'person_not_verified',
  message: 'The e-mail address of this person is not verified',
  when: 'Nobody has verified the address, so anybody may have registered it. Such an account can only be verified or deleted',
})

type LockParts = { clock: Pick<Clock, 'now'>; database: Pick<Database, 'now'> }

/**
 * Locks the account of a person, and those of all owners. Throws if the actor is no longer an owner, or if the session
 * of the actor has ended: both may have happened since the request was authenticated.
 */
export async function lockPerson(
  tx: Tx,
  parts: LockParts,
  actor: Actor,
  userId: string,
): Promise<{ person: UserRow; isLastOwner: boolean }> {
  const locked = await lockWithOwners(tx, userId)
  await refuseFormerOwner(tx, parts, locked, actor)
  const person = locked.find(({ id }) => id === userId)
  if (!person) throw new Refusal(unknownPerson)
  return { person, isLastOwner: isLastOwner(locked, userId, parts.clock.now()) }
}

/** Locks the accounts of the owners for a change that is about no existing person. Throws under the same conditions. */
export async function requireOwnerRole(tx: Tx, parts: Pick<LockParts, 'database'>, actor: Actor): Promise<void> {
  await refuseFormerOwner(tx, parts, await lockWithOwners(tx, actor.caller?.userId ?? ''), actor)
}

async function refuseFormerOwner(
  tx: Tx,
  { database }: Pick<LockParts, 'database'>,
  locked: UserRow[],
  { caller }: Actor,
): Promise<void> {
  if (!caller) return
  const isOwner = locked.some(({ id, role }) => id === caller.userId && role === 'owner')
  // A suspension ends the sessions of an owner, who keeps the role.
  if (!isOwner || !(await lockSessionAccount(tx, database.now, caller))) throw new Refusal(notFound)
}
