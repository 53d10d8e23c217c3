import { recordAction } from '../events/owner-actions.ts'
import { Type } from '../http/schema.ts'
import { requireOwnerRole } from './lock-person.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'
import { lockWebhook, originOf, unknownWebhook, WebhookId } from './webhook.ts'

export function deleteWebhook(parts: OwnerParts) {
  const { database } = parts
  return ownerOperation(parts, {
    id: 'deleteWebhook',
    summary: 'Delete a webhook with its secret, its waiting events and its delivery log',
    message: 'Webhook deleted successfully',
    body: Type.Object({ webhookId: WebhookId }),
    refusals: [unknownWebhook],
    destroys: true,
    async run({ body: { webhookId }, actor }) {
      await database.transaction(async (tx) => {
        await requireOwnerRole(tx, parts, actor)
        const { url } = await lockWebhook(tx, webhookId)
        await tx.deleteFrom('webhooks').where('id', '=', webhookId).execute()
        await recordAction(tx, database.now, actor, {
          action: 'webhook.deleted',
          details: { webhookId, url: originOf(url) },
        })
      })
      await database.eraseDeletedContent()
      return {}
    },
  })
}
