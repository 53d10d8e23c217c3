import { operation } from '../http/operation.ts'
import { invalid } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { changeUser } from './change-user.ts'
import { HttpUrl } from './fields.ts'
import type { AccountParts } from './parts.ts'

export function setAvatar(parts: AccountParts) {
  const { avatarHosts, uploadUrl } = parts.config
  const allowed = avatarHosts && new Set([...avatarHosts, new URL(uploadUrl).hostname])
  return operation({
    id: 'setAvatar',
    summary: 'Set the avatar to an image that is already hosted',
    message: 'Avatar updated successfully',
    description: 'The address is stored, never fetched.',
    body: Type.Object({ avatar: HttpUrl }),
    data: Type.Object({ avatar: Type.String({ examples: ['https://images.example.com/ada.png'] }) }),
    async handle({ body: { avatar }, caller, request }) {
      if (allowed && !allowed.has(new URL(avatar).hostname)) {
        throw invalid('avatar', 'not_allowed', 'Avatar must be on one of the image hosts of this site')
      }
      await changeUser(parts, caller, { avatar }, 'avatar.set', parts.clientInfoOf(request))
      return { data: { avatar } }
    },
  })
}
