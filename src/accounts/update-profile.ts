import { operation } from '../http/operation.ts'
import { invalid } from '../http/refusal.ts'
import { changeUser } from './change-user.ts'
import type { AccountParts } from './parts.ts'
import { columnsOf, ProfileChange } from './profile.ts'

export function updateProfile(parts: AccountParts) {
  return operation({
    id: 'updateProfile',
    summary: 'Update your profile',
    message: 'User details updated successfully',
    description: 'Only the fields sent are changed; location and preferences may be sent in part.',
    body: ProfileChange,
    async handle({ body, caller, request }) {
      const columns = columnsOf(body)
      if (columns.last_name === '') {
        if (caller.user.last_name !== '') throw invalid('lastName', 'required', 'Last name is required')
        delete columns.last_name
      }
      if (Object.keys(columns).length > 0) {
        await changeUser(parts, caller, columns, 'profile.updated', parts.clientInfoOf(request))
      }
      return {}
    },
  })
}
