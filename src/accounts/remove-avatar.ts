import { operation } from '../http/operation.ts'
import { changeUser } from './change-user.ts'
import type { AccountParts } from './parts.ts'

export function removeAvatar(parts: AccountParts) {
  return operation({
    id: 'removeAvatar',
    summary: 'Remove the avatar',
    message: 'Avatar removed successfully',
    async handle({ caller, request }) {
      await changeUser(parts, caller, { avatar: '' }, 'avatar.removed', parts.clientInfoOf(request))
      return {}
    },
  })
}
