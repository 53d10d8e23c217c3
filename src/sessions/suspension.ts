import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import { SAMPLE_TIME } from '../http/fields.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { isoTime } from '../lib/dates.ts'

export const accountSuspended = declareRefusal({
  status: 403,
  code: 'account_suspended',
  message: 'Your account is suspended',
  when: 'The credentials are correct, and an owner of the site has suspended the account. `data` has `suspendedUntil` and the `reason`',
  exampleData: { suspendedUntil: SAMPLE_TIME, reason: 'Unsolicited advertising' },
})

/** Throws if the locked account is suspended, by the clock of the database. */
export async function refuseSuspended(
  tx: Tx,
  now: Database['now'],
  { id, suspended_until, suspension_reason }: Pick<UserRow, 'id' | 'suspended_until' | 'suspension_reason'>,
): Promise<void> {
  if (suspended_until === null) return
  const suspended = await tx
    .selectFrom('users')
    .select('id')
    .where('id', '=', id)
    .where('suspended_until', '>', now)
    .executeTakeFirst()
  if (!suspended) return
  throw new Refusal(accountSuspended, {
    data: { suspendedUntil: isoTime(suspended_until), reason: suspension_reason },
  })
}
