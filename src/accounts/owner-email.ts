import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import { recordAction } from '../events/owner-actions.ts'
import type { ClientInfo } from '../http/client-info.ts'

interface OwnerRoleParts {
  config: Pick<Config, 'ownerEmail'>
  database: Pick<Database, 'now'>
}

/**
 * Makes the account with the address of OWNER_EMAIL an owner, in the transaction that has verified this address.
 * Returns the account.
 */
export async function grantOwnerRole<User extends Pick<UserRow, 'id' | 'email' | 'role'>>(
  tx: Tx,
  { config, database }: OwnerRoleParts,
  user: User,
  clientInfo: ClientInfo,
): Promise<User> {
  if (user.email !== config.ownerEmail || user.role === 'owner') return user
  await tx.updateTable('users').set({ role: 'owner' }).where('id', '=', user.id).execute()
  await recordAction(
    tx,
    database.now,
    { caller: undefined, request: undefined, clientInfo },
    {
      action: 'person.role-changed',
      userId: user.id,
      details: { role: { from: user.role, to: 'owner' }, setting: 'OWNER_EMAIL' },
      event: 'role.changed',
    },
  )
  return { ...user, role: 'owner' }
}
