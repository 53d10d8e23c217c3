import { eraseAccount } from '../accounts/erase-account.ts'
import { lastOwner } from '../accounts/last-owner.ts'
import { recordAction } from '../events/owner-actions.ts'
import { StoredEmail } from '../http/fields.ts'
import { invalid, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { lockPerson, unknownPerson } from './lock-person.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'
import { PersonId } from './person.ts'

export function deletePerson(parts: OwnerParts) {
  const { database } = parts
  return ownerOperation(parts, {
    id: 'deletePerson',
    summary: 'Delete a person and everything that belongs to them',
    message: 'Person deleted successfully',
    body: Type.Object({
      userId: PersonId,
      email: Type.String({ ...StoredEmail, description: 'The e-mail address of the person, as a confirmation' }),
    }),
    refusals: [unknownPerson, lastOwner],
    destroys: true,
    async run({ body: { userId, email }, actor }) {
      await database.transaction(async (tx) => {
        const { person, isLastOwner } = await lockPerson(tx, parts, actor, userId)
        if (person.email !== email.trim().toLowerCase())
          throw invalid('email', 'mismatch', 'Email must be the address of the person')
        if (isLastOwner) throw new Refusal(lastOwner)
        await recordAction(tx, database.now, actor, { action: 'person.deleted', userId })
        await eraseAccount(tx, parts, person)
      })
      await database.eraseDeletedContent()
      return {}
    },
  })
}
