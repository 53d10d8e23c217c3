import { recordEvent } from '../events/security-events.ts'
import { NO_NUL, SessionId, SessionReference } from '../http/fields.ts'
import { operation } from '../http/operation.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { endSession } from './end.ts'
import { lockCaller } from './lock-user.ts'
import type { SessionParts } from './start.ts'

const ownSession = declareRefusal({
  status: 400,
  code: 'own_session',
  message: 'Cannot revoke your current session',
  when: 'The session is that of the call. Logging out ends it',
})
export const unknownSession = declareRefusal({
  status: 404,
  code: 'session_not_found',
  message: 'Session not found',
  when: 'The account has no active session with the id',
})

export function revokeSession({
  config,
  database,
  clientInfoOf,
}: Pick<SessionParts, 'config' | 'database' | 'clientInfoOf'>) {
  const { now } = database
  return operation({
    id: 'revokeSession',
    summary: 'Revoke another session of the account',
    message: 'Session revoked successfully',
    body: Type.Object({ sessionId: Type.String({ ...SessionId, minLength: 1, maxLength: 64, ...NO_NUL }) }),
    data: SessionReference,
    refusals: [ownSession, unknownSession],
    async handle({ body: { sessionId }, caller, request }) {
      if (sessionId === caller.sessionId) throw new Refusal(ownSession)
      await database.transaction(async (tx) => {
        await lockCaller(tx, now, caller)
        const session = { userId: caller.userId, sessionId }
        if (!(await endSession(tx, now, config.sessionLifetimeMs, session))) throw new Refusal(unknownSession)
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
