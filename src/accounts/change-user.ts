import type { Database } from '../database/database.ts'
import type { SecurityEventType } from '../database/security-event-types.ts'
import type { UserRow } from '../database/tables.ts'
import { recordEvent } from '../events/security-events.ts'
import type { ClientInfo } from '../http/client-info.ts'
import type { Caller } from '../http/request.ts'
import { lockCaller } from '../sessions/lock-user.ts'
import { deletePicturesExcept } from './pictures.ts'

/** Updates columns of the caller's account and records the security event, in one transaction. */
export async function changeUser(
  { database }: { database: Database },
  caller: Caller,
  columns: Partial<UserRow>,
  type: SecurityEventType,
  clientInfo: ClientInfo,
): Promise<void> {
  const { userId, sessionId } = caller
  await database.transaction(async (tx) => {
    await lockCaller(tx, database.now, caller)
    await tx.updateTable('users').set(columns).where('id', '=', userId).execute()
    if (columns.avatar !== undefined) await deletePicturesExcept(tx, userId, columns.avatar)
    await recordEvent(tx, database.now, { type, userId, sessionId, clientInfo })
  })
}
