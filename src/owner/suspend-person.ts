import { line } from '../accounts/fields.ts'
import { lastOwner } from '../accounts/last-owner.ts'
import { recordAction } from '../events/owner-actions.ts'
import { Time } from '../http/fields.ts'
import { invalid, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { ISO_DATE, instantOf } from '../http/schema-keywords.ts'
import { isoTime } from '../lib/dates.ts'
import { dropChallenges } from '../proofs/second-factor-challenge.ts'
import { endSessions } from '../sessions/end.ts'
import { lockPerson, unknownPerson, unverifiedPerson } from './lock-person.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'
import { PersonId } from './person.ts'

export function suspendPerson(parts: OwnerParts) {
  const { database, clock } = parts
  const { now } = database
  return ownerOperation(parts, {
    id: 'suspendPerson',
    summary: 'Suspend a person until a date',
    message: 'Person suspended successfully',
    description:
      'Ends every session at once. Until the date no way of signing in works, and a log-in with correct credentials ' +
      'gets `account_suspended` with the date and the reason. The person keeps all data.',
    body: Type.Object({
      userId: PersonId,
      until: Type.String({
        ...Time,
        pattern: ISO_DATE,
        'x-message': 'Until must be a date and time in the future, in ISO 8601',
      }),
      reason: Type.String({ ...line(200, 'Unsolicited advertising'), description: 'The person reads it' }),
    }),
    refusals: [unknownPerson, unverifiedPerson, lastOwner],
    destroys: true,
    async run({ body: { userId, until, reason }, actor }) {
      const untilMs = instantOf(until)?.valueOf() ?? 0
      if (untilMs <= clock.now()) throw invalid('until', 'out_of_range', 'Until must be in the future')
      await database.transaction(async (tx) => {
        const { person, isLastOwner } = await lockPerson(tx, parts, actor, userId)
        // An unverified account may be replaced when somebody proves its mailbox. The suspension would then be lost.
        if (person.email_verified_at === null) throw new Refusal(unverifiedPerson)
        if (isLastOwner) throw new Refusal(lastOwner)
        await tx
          .updateTable('users')
          .set({ suspended_until: untilMs, suspension_reason: reason })
          .where('id', '=', userId)
          .execute()
        await endSessions(tx, now, userId)
        await dropChallenges(tx, userId)
        await recordAction(tx, now, actor, {
          action: 'person.suspended',
          userId,
          details: { suspendedUntil: { from: person.suspended_until, to: untilMs }, reason },
          event: 'suspension.started',
        })
        await parts.webhookEvents.enqueue(tx, 'account.suspended', {
          userId,
          email: person.email,
          until: isoTime(untilMs),
          reason,
        })
      })
      return {}
    },
  })
}
