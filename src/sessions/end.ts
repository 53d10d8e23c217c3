import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { AuthMethod } from '../database/tables.ts'
import type { Caller } from '../http/request.ts'
import type { Origin } from './client-info.ts'
import { lockUser } from './lock-user.ts'
import { recordEvent } from './security-events.ts'

/** Ends one living session of an account. Tells whether there was one to end. */
export async function endSession(tx: Tx, now: Database['now'], userId: string, sessionId: string): Promise<boolean> {
  // The account first, as deleting it does: in the other order the two would wait for each other.
  await lockUser(tx, { id: userId })
  const ended = await tx
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('id', '=', sessionId)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('id')
    .executeTakeFirst()
  return ended !== undefined
}

/** As its owner: it is ended, and their timeline tells so. */
export async function leaveSession(database: Database, { userId, sessionId }: Caller, origin: Origin): Promise<void> {
  await database.transaction(async (tx) => {
    // Ended by another device a moment ago: that is what was asked for, and already told.
    if (!(await endSession(tx, database.now, userId, sessionId))) return
    await recordEvent(tx, database.now, { type: 'session.ended', userId, sessionId, origin })
  })
}

/** Ends the living sessions of an account, but for one, or only those that began in one way. Returns their number. */
export async function endSessions(
  tx: Tx,
  now: Database['now'],
  userId: string,
  { except = '', authMethod }: { except?: string; authMethod?: AuthMethod } = {},
): Promise<number> {
  const living = tx
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('id', '!=', except)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
  const ended = await (authMethod ? living.where('auth_method', '=', authMethod) : living).returning('id').execute()
  return ended.length
}
