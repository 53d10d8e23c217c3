import type { Database } from '../database/database.ts'
import type { UserRow } from '../database/tables.ts'
import { unauthenticated } from '../http/refusal.ts'
import type { Caller } from '../http/request.ts'
import type { Origin } from '../sessions/device.ts'
import { recordEvent, type SecurityEventType } from '../sessions/security-events.ts'
import { keepPictureOf } from './pictures.ts'

/** A change that an owner makes to the own account: the columns and the event, both or neither. */
export async function changeUser(
  { database }: { database: Database },
  { userId, sessionId }: Caller,
  columns: Partial<UserRow>,
  type: SecurityEventType,
  origin: Origin,
): Promise<void> {
  await database.transaction(async (tx) => {
    const changed = await tx
      .updateTable('users')
      .set(columns)
      .where('id', '=', userId)
      .returning('id')
      .executeTakeFirst()
    if (!changed) throw unauthenticated()
    if (columns.avatar !== undefined) await keepPictureOf(tx, userId, columns.avatar)
    await recordEvent(tx, database.now, { type, userId, sessionId, origin })
  })
}
