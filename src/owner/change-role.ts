import { lastOwner } from '../accounts/last-owner.ts'
import { recordAction } from '../events/owner-actions.ts'
import { Role } from '../http/fields.ts'
import { Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { lockPerson, unknownPerson, unverifiedPerson } from './lock-person.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'
import { PersonId } from './person.ts'

export function changeRole(parts: OwnerParts) {
  const { database } = parts
  const { now } = database
  return ownerOperation(parts, {
    id: 'changeRole',
    summary: 'Make a person an owner of the site, or a member again',
    message: 'Role changed successfully',
    body: Type.Object({ userId: PersonId, role: Role }),
    refusals: [unknownPerson, lastOwner, unverifiedPerson],
    destroys: true,
    async run({ body: { userId, role }, actor }) {
      await database.transaction(async (tx) => {
        const { person, isLastOwner } = await lockPerson(tx, parts, actor, userId)
        if (person.role === role) return
        if (isLastOwner) throw new Refusal(lastOwner)
        if (role === 'owner' && person.email_verified_at === null) throw new Refusal(unverifiedPerson)
        await tx.updateTable('users').set({ role }).where('id', '=', userId).execute()
        await recordAction(tx, now, actor, {
          action: 'person.role-changed',
          userId,
          details: { role: { from: person.role, to: role } },
          event: 'role.changed',
        })
      })
      return {}
    },
  })
}
