import { recordAction } from '../events/owner-actions.ts'
import { Type } from '../http/schema.ts'
import { forgetSecondFactorProofs } from '../proofs/second-factor.ts'
import { endSessions } from '../sessions/end.ts'
import { lockPerson, unknownPerson } from './lock-person.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'
import { PersonId } from './person.ts'

export function endPersonSessions(parts: OwnerParts) {
  const { database } = parts
  const { now } = database
  return ownerOperation(parts, {
    id: 'endPersonSessions',
    summary: 'End all sessions of a person',
    message: 'Sessions ended successfully',
    description: 'Remembered browsers are forgotten too.',
    body: Type.Object({ userId: PersonId }),
    data: Type.Object({ ended: Type.Integer({ examples: [2] }) }, { title: 'PersonSessionsEnded' }),
    refusals: [unknownPerson],
    async run({ body: { userId }, actor }) {
      const ended = await database.transaction(async (tx) => {
        await lockPerson(tx, parts, actor, userId)
        const ended = await endSessions(tx, now, userId)
        await forgetSecondFactorProofs(tx, userId)
        await recordAction(tx, now, actor, {
          action: 'person.sessions-ended',
          userId,
          details: { ended },
          event: 'sessions.ended-by-owner',
        })
        return ended
      })
      return { data: { ended } }
    },
  })
}
