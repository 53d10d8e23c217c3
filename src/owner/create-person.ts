import { emailTaken } from '../accounts/create-account.ts'
import { Email, LastName, Name } from '../accounts/fields.ts'
import { insertUser } from '../accounts/new-user.ts'
import { recordAction } from '../events/owner-actions.ts'
import { Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { requireOwnerRole } from './lock-person.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'
import { Person, personOf } from './person.ts'

export function createPerson(parts: OwnerParts) {
  const { database } = parts
  const { now } = database
  return ownerOperation(parts, {
    id: 'createPerson',
    summary: 'Create an account for a person',
    message: 'Person created successfully',
    description:
      'The address counts as verified and the account has no password. The person signs in with a mailed code, through ' +
      'a provider with this address, or chooses a password with `sendResetMail`.',
    status: 201,
    body: Type.Object({ email: Email, firstName: Name, lastName: Type.Optional(LastName) }),
    data: Type.Object({ person: Person }, { title: 'PersonCreated' }),
    refusals: [emailTaken],
    async run({ body: { email, firstName, lastName = '' }, actor }) {
      const person = await database.transaction(async (tx) => {
        await requireOwnerRole(tx, parts, actor)
        const created = await insertUser(tx, now, {
          email,
          passwordHash: null,
          authMethod: 'email',
          isVerified: true,
          firstName,
          lastName,
        })
        if (!created || (await parts.emailUndos.isReserved(tx, email, created.id))) throw new Refusal(emailTaken)
        await parts.invitations.use(tx, created)
        await recordAction(tx, now, actor, {
          action: 'person.created',
          userId: created.id,
          event: 'account.created-by-owner',
        })
        for (const type of ['account.created', 'account.verified'] as const)
          await parts.webhookEvents.enqueue(tx, type, { userId: created.id, email })
        return created
      })
      return { data: { person: personOf(person) } }
    },
  })
}
