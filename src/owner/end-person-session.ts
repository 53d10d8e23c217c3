import { recordAction } from '../events/owner-actions.ts'
import { GIVEN_ID, SessionId, SessionReference } from '../http/fields.ts'
import { Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { endSession } from '../sessions/end.ts'
import { unknownSession } from '../sessions/revoke.ts'
import { lockPerson, unknownPerson } from './lock-person.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'
import { PersonId } from './person.ts'

export function endPersonSession(parts: OwnerParts) {
  const { config, database } = parts
  const { now } = database
  return ownerOperation(parts, {
    id: 'endPersonSession',
    summary: 'End one session of a person',
    message: 'Session ended successfully',
    description: '`readPerson` lists the active sessions.',
    body: Type.Object({
      userId: PersonId,
      sessionId: Type.String({ ...SessionId, ...GIVEN_ID, 'x-message': 'Session id must be a UUID' }),
    }),
    data: SessionReference,
    refusals: [unknownPerson, unknownSession],
    async run({ body: { userId, sessionId }, actor }) {
      await database.transaction(async (tx) => {
        await lockPerson(tx, parts, actor, userId)
        const isEnded = await endSession(tx, now, config.sessionLifetimeMs, { userId, sessionId })
        if (!isEnded) throw new Refusal(unknownSession)
        await recordAction(tx, now, actor, {
          action: 'person.session-ended',
          userId,
          details: { sessionId },
          event: 'session.ended-by-owner',
        })
      })
      return { data: { sessionId } }
    },
  })
}
