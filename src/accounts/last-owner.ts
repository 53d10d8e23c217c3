import { sql } from 'kysely'
import type { Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import { declareRefusal } from '../http/refusal.ts'

export const lastOwner = declareRefusal({
  status: 409,
  code: 'last_owner',
  message: 'The last owner of the site cannot be removed',
  when: 'The change would leave the site without an owner who can sign in',
})

/**
 * Locks the accounts of all owners, and the account with this id, in the order of the ids: transactions that call this
 * function first cannot wait for each other. The role is a literal, which the partial index of owners needs.
 */
export async function lockWithOwners(tx: Tx, userId: string): Promise<UserRow[]> {
  return tx
    .selectFrom('users')
    .selectAll()
    .where('id', 'in', sql<string>`(select id from users where role = 'owner' union all select ${userId})`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

/** Whether this account is the only owner that is not suspended. */
export function isLastOwner(locked: UserRow[], userId: string, nowMs: number): boolean {
  const owners = locked.filter(({ role, suspended_until }) => role === 'owner' && (suspended_until ?? 0) <= nowMs)
  return owners.length === 1 && owners[0]?.id === userId
}
