import { recordEvent } from '../events/security-events.ts'
import { operation } from '../http/operation.ts'
import { Type } from '../http/schema.ts'
import { endSessions } from './end.ts'
import { lockCaller } from './lock-user.ts'
import type { SessionParts } from './start.ts'

export function revokeOtherSessions({ database, clientInfoOf }: Pick<SessionParts, 'database' | 'clientInfoOf'>) {
  const { now } = database
  return operation({
    id: 'revokeOtherSessions',
    summary: 'Revoke every session of the account but this one',
    message: 'Other sessions revoked successfully',
    data: Type.Object({ revoked: Type.Integer({ minimum: 0, description: 'How many there were', examples: [2] }) }),
    async handle({ caller, request }) {
      const { userId, sessionId } = caller
      const revoked = await database.transaction(async (tx) => {
        await lockCaller(tx, now, caller)
        const ended = await endSessions(tx, now, userId, { except: sessionId })
        if (ended > 0) {
          await recordEvent(tx, now, { type: 'sessions.revoked', userId, sessionId, clientInfo: clientInfoOf(request) })
        }
        return ended
      })
      return { data: { revoked } }
    },
  })
}
