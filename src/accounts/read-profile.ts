import { operation } from '../http/operation.ts'
import { Type } from '../http/schema.ts'
import { Profile, profileOf } from './profile.ts'

export function readProfile() {
  return operation({
    summary: 'Read the own profile',
    data: Type.Object({ user: Profile }),
    handle({ caller }) {
      return { message: 'User details retrieved successfully', data: { user: profileOf(caller.user) } }
    },
  })
}
