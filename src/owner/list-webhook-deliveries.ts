import type { Selectable } from 'kysely'
import type { WebhookDeliveriesTable } from '../database/webhook-tables.ts'
import { SAMPLE_TIME, Time } from '../http/fields.ts'
import { constantNames } from '../http/openapi-components.ts'
import { Refusal } from '../http/refusal.ts'
import { nullable, oneOf, type Static, Type } from '../http/schema.ts'
import { isoTime, isoTimeOrNull } from '../lib/dates.ts'
import { cursorPages, cutPage, olderThan } from './cursor-pages.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'
import { EventType, unknownWebhook, WebhookId } from './webhook.ts'

const SAMPLE_ID = 'msg_0d2f8f6351a74c1c9d5e7b0f3c1a2e44'

const CURSOR = { pattern: '^[0-9]{1,15}[.]msg_[0-9a-f]{32}$' }
const pages = cursorPages('listWebhookDeliveries', CURSOR, `1794821400000.${SAMPLE_ID}`)

export const DeliveryId = Type.String({
  pattern: '^msg_[0-9a-f]{32}$',
  'x-message': 'Delivery id must be the id of a delivery',
  description: 'The header `webhook-id`, the same for every attempt',
  examples: [SAMPLE_ID],
})

const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const

export const Delivery = Type.Object(
  {
    deliveryId: DeliveryId,
    type: EventType,
    state: oneOf(DELIVERY_STATES, {
      title: 'DeliveryState',
      ...constantNames(DELIVERY_STATES, 'Delivery'),
      examples: ['delivered'],
    }),
    attempts: Type.Integer({ examples: [1] }),
    statusCode: nullable(Type.Integer({ description: 'Of the last response. Null without one', examples: [204] })),
    lastError: nullable(Type.String({ examples: ['the response has the status 500'] })),
    createdAt: Time,
    nextAttemptAt: nullable(
      Type.String({ ...Time, description: 'Null if there will be none', examples: [SAMPLE_TIME] }),
    ),
    deliveredAt: nullable(Type.String({ ...Time, examples: [SAMPLE_TIME] })),
    payload: Type.String({
      description: 'The body of the request',
      examples: ['{"type":"account.created","timestamp":"2026-11-16T09:30:00.000Z","data":{}}'],
    }),
  },
  { title: 'WebhookDelivery' },
)

export function listWebhookDeliveries(parts: OwnerParts) {
  const { query } = parts.database
  return ownerOperation(parts, {
    id: 'listWebhookDeliveries',
    summary: 'Read the delivery log of a webhook, newest first',
    message: 'Deliveries retrieved successfully',
    description: 'It has the events of the last 30 days, at most 10,000 beside those that wait.',
    query: Type.Object({
      webhookId: WebhookId,
      ...pages.query,
    }),
    data: Type.Object(
      {
        deliveries: Type.Array(Delivery),
        next: pages.next,
      },
      { title: 'WebhookDeliveries' },
    ),
    refusals: [unknownWebhook],
    links: pages.links,
    async run({ query: { webhookId, limit, after } }) {
      const webhook = await query.selectFrom('webhooks').select('id').where('id', '=', webhookId).executeTakeFirst()
      if (!webhook) throw new Refusal(unknownWebhook)
      const rows = await query
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('webhook_id', '=', webhookId)
        .where(olderThan(after))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      const { page, next } = cutPage(rows, limit, (last) => `${last.created_at}.${last.id}`)
      return { data: { deliveries: page.map(deliveryOf), next } }
    },
  })
}

export function deliveryOf(row: Selectable<WebhookDeliveriesTable>): Static<typeof Delivery> {
  return {
    deliveryId: row.id,
    type: row.type,
    state: row.due_at !== null ? 'waiting' : row.delivered_at !== null ? 'delivered' : 'failed',
    attempts: row.attempts,
    statusCode: row.status_code,
    lastError: row.last_error,
    createdAt: isoTime(row.created_at),
    nextAttemptAt: isoTimeOrNull(row.due_at),
    deliveredAt: isoTimeOrNull(row.delivered_at),
    payload: row.payload,
  }
}
