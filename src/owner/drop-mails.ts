import { recordAction } from '../events/owner-actions.ts'
import { Type } from '../http/schema.ts'
import { dropMails as drop } from '../mail/outbox-admin.ts'
import { requireOwnerRole } from './lock-person.ts'
import { MailIds, MailsChanged } from './mail.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'

export function dropMails(parts: OwnerParts) {
  const { database } = parts
  return ownerOperation(parts, {
    id: 'dropMails',
    summary: 'Delete mails that were not delivered',
    message: 'Mails deleted successfully',
    description: 'A mail that is being sent, or was tried and is due again within four minutes, is left as it is.',
    body: Type.Object({ mailIds: MailIds }),
    data: MailsChanged,
    destroys: true,
    async run({ body: { mailIds }, actor }) {
      const data = await database.transaction(async (tx) => {
        await requireOwnerRole(tx, parts, actor)
        const outcome = await drop(database, mailIds, tx)
        // Without recipients: the log outlives their accounts.
        if (outcome.done.length > 0)
          await recordAction(tx, database.now, actor, { action: 'mail.dropped', details: { mailIds: outcome.done } })
        return outcome
      })
      if (data.done.length > 0) await database.eraseDeletedContent()
      return { data }
    },
  })
}
