import { emailTaken } from '../accounts/create-account.ts'
import { Email } from '../accounts/fields.ts'
import { recordAction } from '../events/owner-actions.ts'
import { Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { Invitation, invitationOf } from './invitation.ts'
import { requireOwnerRole } from './lock-person.ts'
import { limitOwnerMail, limitRecipient, OWNER_MAIL_LIMITS } from './owner-mail-limit.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'

const DEFAULT_DAYS = 7
const MAX_DAYS = 90

export function createInvitation(parts: OwnerParts) {
  const { database, invitations, outbox, messages, clock } = parts
  return ownerOperation(parts, {
    id: 'createInvitation',
    summary: 'Invite an e-mail address to create an account',
    message: 'Invitation sent successfully',
    description:
      'Mails a link to the address. The invitation works once and for this address only: with the link, or by a ' +
      'sign-in through a provider that has verified the address. It replaces an earlier invitation of the address.',
    status: 201,
    body: Type.Object({
      email: Email,
      days: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_DAYS,
          'x-message': `Days must be from 1 to ${MAX_DAYS}`,
          description: `How long the invitation works; ${DEFAULT_DAYS} by default`,
          examples: [DEFAULT_DAYS],
        }),
      ),
    }),
    data: Invitation,
    refusals: [emailTaken],
    limits: OWNER_MAIL_LIMITS,
    async run({ body: { email, days = DEFAULT_DAYS }, actor }) {
      await limitOwnerMail(parts, actor)
      const row = await database.transaction(async (tx) => {
        await requireOwnerRole(tx, parts, actor)
        const person = await tx
          .selectFrom('users')
          .select('id')
          .where('email', '=', email)
          .where('email_verified_at', 'is not', null)
          .executeTakeFirst()
        if (person) throw new Refusal(emailTaken)
        await limitRecipient(parts, tx, actor, email)
        const { row, token } = await invitations.issue(tx, email, days, actor.caller?.userId)
        const message = messages.invitation(token, new Date(row.expires_at))
        await outbox.enqueue(tx, email, message, { milliseconds: row.expires_at - row.created_at })
        // Without the address: the log outlives the account.
        const details = { invitationId: row.id, expiresAt: row.expires_at }
        await recordAction(tx, database.now, actor, { action: 'invitation.created', details })
        return row
      })
      return { data: invitationOf(row, clock) }
    },
  })
}
