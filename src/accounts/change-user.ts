import type { Database } from '../database/database.ts'
import type { UserRow } from '../database/tables.ts'
import type { Caller } from '../http/request.ts'
import type { SecurityEventType } from '../security-event-types.ts'
import type { Origin } from '../sessions/device.ts'
import { holdCaller } from '../sessions/hold-user.ts'
import { recordEvent } from '../sessions/security-events.ts'
import { keepPictureOf } from './pictures.ts'

/** A change that an owner makes to the own account: the columns and the event, both or neither. */
export async function changeUser(
  { database }: { database: Database },
  caller: Caller,
  columns: Partial<UserRow>,
  type: SecurityEventType,
  origin: Origin,
): Promise<void> {
  const { userId, sessionId } = caller
  await database.transaction(async (tx) => {
    await holdCaller(tx, database.now, caller)
    await tx.updateTable('users').set(columns).where('id', '=', userId).execute()
    if (columns.avatar !== undefined) await keepPictureOf(tx, userId, columns.avatar)
    await recordEvent(tx, database.now, { type, userId, sessionId, origin })
  })
}
