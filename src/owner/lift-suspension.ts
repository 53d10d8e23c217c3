import { recordAction } from '../events/owner-actions.ts'
import { Type } from '../http/schema.ts'
import { lockPerson, unknownPerson } from './lock-person.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'
import { PersonId } from './person.ts'

export function liftSuspension(parts: OwnerParts) {
  const { database } = parts
  const { now } = database
  return ownerOperation(parts, {
    id: 'liftSuspension',
    summary: 'Lift the suspension of a person',
    message: 'Suspension lifted successfully',
    body: Type.Object({ userId: PersonId }),
    refusals: [unknownPerson],
    async run({ body: { userId }, actor }) {
      await database.transaction(async (tx) => {
        const { person } = await lockPerson(tx, parts, actor, userId)
        if (person.suspended_until === null) return
        await tx
          .updateTable('users')
          .set({ suspended_until: null, suspension_reason: '' })
          .where('id', '=', userId)
          .execute()
        await recordAction(tx, now, actor, {
          action: 'person.suspension-lifted',
          userId,
          details: { suspendedUntil: { from: person.suspended_until, to: null } },
          event: 'suspension.lifted',
        })
        await parts.webhookEvents.enqueue(tx, 'account.suspension-lifted', { userId, email: person.email })
      })
      return {}
    },
  })
}
