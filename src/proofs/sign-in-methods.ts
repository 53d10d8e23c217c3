import type { Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'

/**
 * Whether a password, a linked provider or a passkey signs in to the account. Called after one of them was removed, in
 * the same transaction, with the locked row of the account. A mailed code does not count: it can be turned off.
 */
export async function hasSignInMethod(
  tx: Tx,
  { id, password_hash }: Pick<UserRow, 'id' | 'password_hash'>,
): Promise<boolean> {
  if (password_hash !== null) return true
  const link = tx.selectFrom('linked_accounts').select('user_id').where('user_id', '=', id)
  const passkey = tx.selectFrom('passkeys').select('user_id').where('user_id', '=', id)
  return (await link.union(passkey).executeTakeFirst()) !== undefined
}
