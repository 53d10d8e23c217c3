import { randomUUID } from 'node:crypto'
import { recordAction } from '../events/owner-actions.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { newSecret, secretText } from '../webhooks/signature.ts'
import { requireOwnerRole } from './lock-person.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'
import { checkedUrl, EventTypes, originOf, Secret, storedEvents, Webhook, WebhookUrl, webhookOf } from './webhook.ts'

// Each event is stored once for each webhook.
const MAX_WEBHOOKS = 20

const tooManyWebhooks = declareRefusal({
  status: 409,
  code: 'too_many_webhooks',
  message: `A site can have at most ${MAX_WEBHOOKS} webhooks`,
  when: 'Every event is stored once for each webhook, so their number is limited',
})

export function createWebhook(parts: OwnerParts) {
  const { config, database, secretBox } = parts
  const { now } = database
  return ownerOperation(parts, {
    id: 'createWebhook',
    summary: 'Create a webhook',
    message: 'Webhook created successfully',
    description:
      'Events are sent by POST, signed as Standard Webhooks defines it. The host of the URL is resolved and checked at ' +
      'each call. Redirects are not followed.',
    status: 201,
    body: Type.Object({ url: WebhookUrl, events: EventTypes }),
    data: Type.Object({ webhook: Webhook, secret: Secret }, { title: 'WebhookCreated' }),
    refusals: [tooManyWebhooks],
    // It sends personal data to another place.
    destroys: true,
    async run({ body, actor }) {
      const url = checkedUrl(body.url, config)
      const secret = newSecret()
      const id = randomUUID()
      const webhook = await database.transaction(async (tx) => {
        await requireOwnerRole(tx, parts, actor)
        const existing = await tx.selectFrom('webhooks').select('id').limit(MAX_WEBHOOKS).execute()
        if (existing.length === MAX_WEBHOOKS) throw new Refusal(tooManyWebhooks)
        await recordAction(tx, now, actor, {
          action: 'webhook.created',
          details: { webhookId: id, url: originOf(url), events: body.events },
        })
        return tx
          .insertInto('webhooks')
          .values({
            id,
            url,
            secret: secretBox.seal(id, secret),
            events: storedEvents(body.events),
            created_at: now,
          })
          .returningAll()
          .executeTakeFirstOrThrow()
      })
      return { data: { webhook: webhookOf(webhook), secret: secretText(secret) } }
    },
  })
}
