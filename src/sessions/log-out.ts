import type { Database } from '../database/database.ts'
import { operation } from '../http/operation.ts'
import { originOf } from './device.ts'
import { endSession } from './end.ts'
import { recordEvent } from './security-events.ts'

export function logOut({ database }: { database: Database }) {
  return operation({
    summary: 'Log out: end the current session',
    async handle({ caller: { userId, sessionId }, request }) {
      await database.transaction(async (tx) => {
        // Ended by another device a moment ago: that is what was asked for, and already told.
        if (!(await endSession(tx, database.now, userId, sessionId))) return
        await recordEvent(tx, database.now, {
          type: 'session.ended',
          userId,
          sessionId,
          origin: originOf(request),
        })
      })
      return { message: 'Logged out successfully' }
    },
  })
}
