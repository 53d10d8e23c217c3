import { recordAction } from '../events/owner-actions.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { INVITATION_SUBJECT } from '../mail/invitation-message.ts'
import { InvitationId } from './invitation.ts'
import { requireOwnerRole } from './lock-person.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'

const unknownInvitation = declareRefusal({
  status: 404,
  code: 'invitation_not_found',
  message: 'There is no such open invitation',
  when: 'No invitation has the id, or it was used, revoked or replaced',
})

export function revokeInvitation(parts: OwnerParts) {
  const { database, outbox } = parts
  const { now } = database
  return ownerOperation(parts, {
    id: 'revokeInvitation',
    summary: 'Revoke an invitation',
    message: 'Invitation revoked successfully',
    description: 'Its link stops working. Its mail is not sent any more if it waits or has failed.',
    body: Type.Object({ invitationId: InvitationId }),
    refusals: [unknownInvitation],
    async run({ body: { invitationId }, actor }) {
      await database.transaction(async (tx) => {
        await requireOwnerRole(tx, parts, actor)
        const revoked = await tx
          .updateTable('invitations')
          .set({ revoked_at: now })
          .where('id', '=', invitationId)
          .where('used_at', 'is', null)
          .where('revoked_at', 'is', null)
          .returning('email')
          .executeTakeFirst()
        if (!revoked) throw new Refusal(unknownInvitation)
        await outbox.withdraw(tx, revoked.email, INVITATION_SUBJECT)
        await recordAction(tx, now, actor, { action: 'invitation.revoked', details: { invitationId } })
      })
      return {}
    },
  })
}
