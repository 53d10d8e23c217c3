import { operation } from '../http/operation.ts'
import { Type } from '../http/schema.ts'
import { findCaller } from './caller.ts'
import type { AccountParts } from './parts.ts'
import { Profile, profileOf } from './profile.ts'

export function readProfile({ store }: AccountParts) {
  return operation({
    summary: 'Read the own profile',
    data: Type.Object({ user: Profile }),
    async handle({ caller }) {
      const user = await findCaller(store, caller)
      return { message: 'User details retrieved successfully', data: { user: profileOf(user) } }
    },
  })
}
