import { operation } from '../http/operation.ts'
import type { Caller } from '../http/request.ts'
import { Type } from '../http/schema.ts'
import { Username } from './fields.ts'
import type { AccountParts } from './parts.ts'
import type { AccountStore } from './store.ts'
import { isReserved, usernameKey } from './username.ts'

export function checkUsername({ store }: AccountParts) {
  return operation({
    id: 'checkUsername',
    summary: 'Ask whether a username is free',
    message: 'Username is available',
    query: Type.Object({ username: Username }),
    data: Type.Object({ available: Type.Boolean() }),
    async handle({ query: { username }, caller }) {
      const available = await isFree(store, caller, username)
      return {
        ...(!available && { message: 'Username is not available' }),
        data: { available },
      }
    },
  })
}

/**
 * Whether the caller may change to this username. The current username in different case is free to the account holder.
 * Exactly the current username is not.
 */
export async function isFree(store: AccountStore, { userId }: Caller, username: string): Promise<boolean> {
  if (isReserved(username)) return false
  const holder = await store.findUsernameHolder(usernameKey(username))
  return !holder || (holder.id === userId && holder.username !== username)
}
