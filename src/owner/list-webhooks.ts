import { Type } from '../http/schema.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'
import { Webhook, webhookOf } from './webhook.ts'

export function listWebhooks(parts: OwnerParts) {
  const { query } = parts.database
  return ownerOperation(parts, {
    id: 'listWebhooks',
    summary: 'List the webhooks, without their secrets',
    message: 'Webhooks retrieved successfully',
    data: Type.Object({ webhooks: Type.Array(Webhook) }, { title: 'Webhooks' }),
    async run() {
      const rows = await query.selectFrom('webhooks').selectAll().orderBy('created_at').orderBy('id').execute()
      return { data: { webhooks: rows.map(webhookOf) } }
    },
  })
}
