import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { SessionMethod } from '../database/enumerations.ts'
import { recordEvent } from '../events/security-events.ts'
import type { ClientInfo } from '../http/client-info.ts'
import type { Caller } from '../http/request.ts'
import { endOfSession } from './lifetime.ts'
import { lockUser } from './lock-user.ts'
import type { SessionParts } from './start.ts'

/** Ends an active session of an account. Returns false when the session was not active. */
export async function endSession(
  tx: Tx,
  now: Database['now'],
  lifetimeMs: number,
  { userId, sessionId }: Pick<Caller, 'userId' | 'sessionId'>,
): Promise<boolean> {
  // Locks the account before the session, in the same order as the deletion of an account, to prevent a deadlock.
  await lockUser(tx, { id: userId })
  const ended = await tx
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('id', '=', sessionId)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where(endOfSession(lifetimeMs), '>', now)
    .returning('id')
    .executeTakeFirst()
  return ended !== undefined
}

/** Ends the caller's own session and records the event. */
export async function endOwnSession(
  { database, config }: Pick<SessionParts, 'database' | 'config'>,
  { userId, sessionId }: Caller,
  clientInfo: ClientInfo,
): Promise<void> {
  await database.transaction(async (tx) => {
    // Another request has ended the session and recorded its event.
    if (!(await endSession(tx, database.now, config.sessionLifetimeMs, { userId, sessionId }))) return
    await recordEvent(tx, database.now, { type: 'session.ended', userId, sessionId, clientInfo })
  })
}

/**
 * Ends the active sessions of an account and returns their number. `except` is the id of a session that stays. With
 * `authMethod`, only sessions that began with this method end.
 */
export async function endSessions(
  tx: Tx,
  now: Database['now'],
  userId: string,
  { except = '', authMethod }: { except?: string; authMethod?: SessionMethod } = {},
): Promise<number> {
  const active = tx
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('id', '!=', except)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
  const ended = await (authMethod ? active.where('auth_method', '=', authMethod) : active).returning('id').execute()
  return ended.length
}
