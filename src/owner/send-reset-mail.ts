import { postCode } from '../accounts/mail-code.ts'
import { recordAction } from '../events/owner-actions.ts'
import { Type } from '../http/schema.ts'
import { lockPerson, unknownPerson } from './lock-person.ts'
import { limitOwnerMail, limitRecipient, OWNER_MAIL_LIMITS } from './owner-mail-limit.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'
import { PersonId } from './person.ts'

export function sendResetMail(parts: OwnerParts) {
  const { database } = parts
  const { now } = database
  return ownerOperation(parts, {
    id: 'sendResetMail',
    summary: 'Mail a person the code to choose a new password',
    message: 'Mail sent successfully',
    body: Type.Object({ userId: PersonId }),
    refusals: [unknownPerson],
    limits: OWNER_MAIL_LIMITS,
    async run({ body: { userId }, actor }) {
      await limitOwnerMail(parts, actor)
      await database.transaction(async (tx) => {
        const { person } = await lockPerson(tx, parts, actor, userId)
        await limitRecipient(parts, tx, actor, person.email)
        await postCode(tx, parts, person, 'reset')
        await recordAction(tx, now, actor, {
          action: 'person.reset-mailed',
          userId,
          event: 'password.reset-mailed-by-owner',
        })
      })
      return {}
    },
  })
}
