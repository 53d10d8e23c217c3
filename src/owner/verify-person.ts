import { claimUnverified } from '../accounts/unverified.ts'
import { recordAction } from '../events/owner-actions.ts'
import { Type } from '../http/schema.ts'
import { lockPerson, unknownPerson } from './lock-person.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'
import { PersonId } from './person.ts'

export function verifyPerson(parts: OwnerParts) {
  const { database } = parts
  const { now } = database
  return ownerOperation(parts, {
    id: 'verifyPerson',
    summary: 'Declare the e-mail address of a person verified',
    message: 'Person verified successfully',
    description:
      'For a person whose mail does not arrive. An address that was registered more than once gets an account without ' +
      'a password and with a neutral name, because different people may have registered it.',
    body: Type.Object({ userId: PersonId }),
    refusals: [unknownPerson],
    destroys: true,
    async run({ body: { userId }, actor }) {
      await database.transaction(async (tx) => {
        const { person } = await lockPerson(tx, parts, actor, userId)
        if (person.email_verified_at !== null) return
        if (person.registered_again > 0) await claimUnverified(tx, parts, person.email, actor.clientInfo)
        await tx.updateTable('users').set({ email_verified_at: now }).where('id', '=', userId).execute()
        await parts.invitations.use(tx, person)
        await tx.deleteFrom('codes').where('user_id', '=', userId).execute()
        await recordAction(tx, now, actor, { action: 'person.verified', userId, event: 'email.verified-by-owner' })
        await parts.webhookEvents.enqueue(tx, 'account.verified', { userId, email: person.email })
      })
      return {}
    },
  })
}
