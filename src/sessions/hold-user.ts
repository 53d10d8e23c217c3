import type { Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'

/**
 * The account as it is at this moment, held until the transaction ends; undefined when it has been deleted since. The
 * write changes nothing: it is what makes two transactions on one account wait for each other, on both engines.
 */
export async function holdUser(tx: Tx, by: { id: string } | { email: string }): Promise<UserRow | undefined> {
  const [column, value] = 'id' in by ? (['id', by.id] as const) : (['email', by.email] as const)
  return tx
    .updateTable('users')
    .set((eb) => ({ email: eb.ref('email') }))
    .where(column, '=', value)
    .returningAll()
    .executeTakeFirst()
}
