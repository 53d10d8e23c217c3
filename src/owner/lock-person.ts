import { isLastOwner, lockWithOwners } from '../accounts/last-owner.ts'
import type { Clock } from '../database/clock.ts'
import type { Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import { declareRefusal, notFound, Refusal } from '../http/refusal.ts'
import type { Actor } from '../sessions/owner-actions.ts'

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

/**
 * Locks the account of a person, and those of all owners. Throws if the actor is no longer an owner: the role may have
 * changed since the request was authenticated.
 */
export async function lockPerson(
  tx: Tx,
  { clock }: { clock: Pick<Clock, 'now'> },
  actor: Actor,
  userId: string,
): Promise<{ person: UserRow; isLastOwner: boolean }> {
  const locked = await lockWithOwners(tx, userId)
  refuseFormerOwner(locked, actor)
  const person = locked.find(({ id }) => id === userId)
  if (!person) throw new Refusal(unknownPerson)
  return { person, isLastOwner: isLastOwner(locked, userId, clock.now()) }
}

/** Locks the accounts of the owners for a change that is about no existing person. Throws under the same condition. */
export async function requireOwnerRole(tx: Tx, actor: Actor): Promise<void> {
  refuseFormerOwner(await lockWithOwners(tx, actor.caller?.userId ?? ''), actor)
}

function refuseFormerOwner(locked: UserRow[], { caller }: Actor): void {
  const isOwner = locked.some(({ id, role }) => id === caller?.userId && role === 'owner')
  if (caller && !isOwner) throw new Refusal(notFound)
}
