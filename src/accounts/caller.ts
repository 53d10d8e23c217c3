import type { UserRow } from '../database/tables.ts'
import type { Caller } from '../http/operation.ts'
import { unauthenticated } from '../http/refusal.ts'
import type { AccountStore } from './store.ts'

/** The caller's account; gone only when it was deleted since its session was checked, a moment ago. */
export async function findCaller(store: AccountStore, { userId }: Caller): Promise<UserRow> {
  const user = await store.findById(userId)
  if (!user) throw unauthenticated()
  return user
}
