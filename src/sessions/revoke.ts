import { NO_NUL, SessionId } from '../http/fields.ts'
import { operation } from '../http/operation.ts'
import { Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { endSession } from './end.ts'
import { lockCaller } from './lock-user.ts'
import { recordEvent } from './security-events.ts'
import type { SessionParts } from './start.ts'

const ownSession = { status: 400, message: 'Cannot revoke your current session' }
const unknownSession = { status: 404, message: 'Session not found' }

export function revokeSession({ database, clientInfoOf }: Pick<SessionParts, 'database' | 'clientInfoOf'>) {
  const { now } = database
  return operation({
    summary: 'Revoke another session of the account',
    message: 'Session revoked successfully',
    body: Type.Object({ sessionId: Type.String({ ...SessionId, minLength: 1, maxLength: 64, pattern: NO_NUL }) }),
    data: Type.Object({ sessionId: SessionId }),
    refusals: [ownSession, unknownSession],
    async handle({ body: { sessionId }, caller, request }) {
      if (sessionId === caller.sessionId) throw new Refusal(ownSession)
      await database.transaction(async (tx) => {
        await lockCaller(tx, now, caller)
        if (!(await endSession(tx, now, caller.userId, sessionId))) throw new Refusal(unknownSession)
        await recordEvent(tx, now, {
          type: 'session.revoked',
          userId: caller.userId,
          sessionId,
          clientInfo: clientInfoOf(request),
        })
      })
      return { data: { sessionId } }
    },
  })
}
