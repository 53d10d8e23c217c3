import { recordEvent } from '../events/security-events.ts'
import { StoredUsername } from '../http/fields.ts'
import { operation } from '../http/operation.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { lockCaller } from '../sessions/lock-user.ts'
import { isFree } from './check-username.ts'
import { Username } from './fields.ts'
import type { AccountParts } from './parts.ts'
import { usernameKey } from './username.ts'

const alreadyChanged = declareRefusal({
  status: 403,
  code: 'username_already_changed',
  message: 'You have already changed your username',
  when: 'The one change of the username is used',
})
export const usernameTaken = declareRefusal({
  status: 409,
  code: 'username_taken',
  message: 'Username is already taken',
  when: 'Another account has the username, it is reserved, or it is the current one',
})

export function changeUsername({ database, store, clientInfoOf }: AccountParts) {
  return operation({
    id: 'changeUsername',
    summary: 'Change the username, once',
    message: 'Username changed successfully',
    body: Type.Object({ username: Username }),
    data: Type.Object({ username: StoredUsername }),
    refusals: [alreadyChanged, usernameTaken],
    async handle({ body: { username }, caller, request }) {
      const { userId, sessionId, user } = caller
      if (user.has_changed_username) throw new Refusal(alreadyChanged)
      if (!(await isFree(store, caller, username))) throw new Refusal(usernameTaken)
      try {
        await database.transaction(async (tx) => {
          await lockCaller(tx, database.now, caller)
          const changed = await tx
            .updateTable('users')
            .set({ username, username_key: usernameKey(username), has_changed_username: 1 })
            .where('id', '=', userId)
            .where('has_changed_username', '=', 0)
            .returning('id')
            .executeTakeFirst()
          if (!changed) throw new Refusal(alreadyChanged)
          await recordEvent(tx, database.now, {
            type: 'username.changed',
            userId,
            sessionId,
            clientInfo: clientInfoOf(request),
          })
        })
      } catch (error) {
        // Of two concurrent requests for one username, the unique index on username_key admits one.
        throw database.isUniqueViolation(error) ? new Refusal(usernameTaken) : error
      }
      return { data: { username } }
    },
  })
}
