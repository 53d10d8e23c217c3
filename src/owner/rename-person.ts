import { usernameTaken } from '../accounts/change-username.ts'
import { Username } from '../accounts/fields.ts'
import { isReserved, usernameKey } from '../accounts/username.ts'
import { recordAction } from '../events/owner-actions.ts'
import { Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { lockPerson, unknownPerson } from './lock-person.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'
import { PersonId } from './person.ts'

export function renamePerson(parts: OwnerParts) {
  const { database } = parts
  const { now } = database
  return ownerOperation(parts, {
    id: 'renamePerson',
    summary: 'Change the username of a person',
    message: 'Person renamed successfully',
    description: 'The person keeps the one change of the username that everybody has.',
    body: Type.Object({ userId: PersonId, username: Username }),
    refusals: [unknownPerson, usernameTaken],
    async run({ body: { userId, username }, actor }) {
      if (isReserved(username)) throw new Refusal(usernameTaken)
      const rename = database.transaction(async (tx) => {
        const { person } = await lockPerson(tx, parts, actor, userId)
        await tx
          .updateTable('users')
          .set({ username, username_key: usernameKey(username) })
          .where('id', '=', userId)
          .execute()
        await recordAction(tx, now, actor, {
          action: 'person.renamed',
          userId,
          details: { username: { from: person.username, to: username } },
          event: 'username.changed-by-owner',
        })
      })
      // The unique index on username_key decides.
      await rename.catch((error) => {
        throw database.isUniqueViolation(error) ? new Refusal(usernameTaken) : error
      })
      return {}
    },
  })
}
