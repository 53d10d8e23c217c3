import { recordAction } from '../events/owner-actions.ts'
import { Type } from '../http/schema.ts'
import { retryMails as retry } from '../mail/outbox-admin.ts'
import { requireOwnerRole } from './lock-person.ts'
import { MailIds, MailsChanged } from './mail.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'

export function retryMails(parts: OwnerParts) {
  const { database } = parts
  return ownerOperation(parts, {
    id: 'retryMails',
    summary: 'Try mails again now, also those that failed permanently',
    message: 'Mails changed successfully',
    description:
      'They get all their attempts again. A mail that is being sent, or was tried and is due again within four ' +
      'minutes, is left as it is, and so is one whose code has expired.',
    body: Type.Object({ mailIds: MailIds }),
    data: MailsChanged,
    async run({ body: { mailIds }, actor }) {
      const data = await database.transaction(async (tx) => {
        await requireOwnerRole(tx, parts, actor)
        const outcome = await retry(database, mailIds, tx)
        if (outcome.done.length > 0)
          await recordAction(tx, database.now, actor, { action: 'mail.retried', details: { mailIds: outcome.done } })
        return outcome
      })
      return { data }
    },
  })
}
