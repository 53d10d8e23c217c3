import { operation } from '../http/operation.ts'
import { Type } from '../http/schema.ts'
import { Profile, profileOf } from './profile.ts'

export function readProfile() {
  return operation({
    id: 'readProfile',
    summary: 'Read your profile',
    message: 'User details retrieved successfully',
    data: Type.Object({ user: Profile }),
    handle({ caller }) {
      return { data: { user: profileOf(caller.user) } }
    },
  })
}
