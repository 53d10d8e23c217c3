import { recordAction } from '../events/owner-actions.ts'
import { Type } from '../http/schema.ts'
import { turnOffSecondFactor } from '../proofs/second-factor.ts'
import { endSessions } from '../sessions/end.ts'
import { lockPerson, unknownPerson } from './lock-person.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'
import { PersonId } from './person.ts'

export function resetPersonFactors(parts: OwnerParts) {
  const { database, outbox, messages } = parts
  const { now } = database
  return ownerOperation(parts, {
    id: 'resetPersonFactors',
    summary: 'Remove the second factors and passkeys of a person',
    message: 'Factors reset successfully',
    description:
      'For a person who has lost them. Removes authenticator app, passkeys, recovery codes and remembered browsers, ends ' +
      'all sessions, and mails the person. Password and providers stay.',
    body: Type.Object({ userId: PersonId }),
    refusals: [unknownPerson],
    destroys: true,
    async run({ body: { userId }, actor }) {
      await database.transaction(async (tx) => {
        const { person } = await lockPerson(tx, parts, actor, userId)
        await tx.deleteFrom('passkeys').where('user_id', '=', userId).execute()
        await tx.deleteFrom('authenticator_apps').where('user_id', '=', userId).execute()
        await turnOffSecondFactor(tx, userId)
        await endSessions(tx, now, userId)
        await recordAction(tx, now, actor, {
          action: 'person.factors-reset',
          userId,
          event: 'factors.reset-by-owner',
        })
        // A stranger may have chosen the name of an account whose address is not verified.
        if (person.email_verified_at !== null)
          await outbox.enqueue(tx, person.email, messages.factorsReset(person.first_name))
      })
      return {}
    },
  })
}
