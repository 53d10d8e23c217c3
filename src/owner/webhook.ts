import type { Selectable } from 'kysely'
import { HttpUrl } from '../accounts/fields.ts'
import type { Config } from '../config/config.ts'
import type { Tx } from '../database/engine.ts'
import { WEBHOOK_EVENT_TYPES, type WebhookEventType, type WebhooksTable } from '../database/webhook-tables.ts'
import { GIVEN_ID, SAMPLE_TIME, SAMPLE_UUID, Time } from '../http/fields.ts'
import { constantNames } from '../http/openapi-components.ts'
import { declareRefusal, invalid, Refusal } from '../http/refusal.ts'
import { nullable, oneOf, type Static, Type } from '../http/schema.ts'
import { isoTime, isoTimeOrNull } from '../lib/dates.ts'
import { urlFault } from '../webhooks/address-policy.ts'

export const unknownWebhook = declareRefusal({
  status: 404,
  code: 'webhook_not_found',
  message: 'There is no such webhook',
  when: 'No webhook has the id. An owner may have deleted it',
})

export const WebhookId = Type.String({
  ...GIVEN_ID,
  'x-message': 'Webhook id must be a UUID',
  examples: [SAMPLE_UUID],
})
const SAMPLE_URL = 'https://hooks.example.com/portico'
export const WebhookUrl = Type.String({
  ...HttpUrl,
  description:
    'The address to call, without user name and password; https in production. A private address needs WEBHOOK_PRIVATE_ADDRESSES=on',
  examples: [SAMPLE_URL],
})
export const EventType = oneOf(WEBHOOK_EVENT_TYPES, {
  title: 'WebhookEventType',
  ...constantNames(WEBHOOK_EVENT_TYPES, 'Event'),
  examples: ['account.created'],
})
export const EventTypes = Type.Array(EventType, {
  minItems: 1,
  maxItems: WEBHOOK_EVENT_TYPES.length,
  'x-message': `Events must be one or more of ${WEBHOOK_EVENT_TYPES.join(', ')}`,
})
export const Secret = Type.String({
  description: 'The key of the signatures. It is shown only once',
  examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
})

const momentOrNull = (description: string) => nullable(Type.String({ ...Time, description, examples: [SAMPLE_TIME] }))

export const Webhook = Type.Object(
  {
    webhookId: WebhookId,
    url: Type.String({ examples: [SAMPLE_URL] }),
    events: Type.Array(EventType),
    isEnabled: Type.Boolean({ examples: [true] }),
    createdAt: Time,
    disabledAt: momentOrNull('When it was switched off. Null while it is on'),
    failingSince: momentOrNull('The first failure since the last success. Null while it works'),
    previousSecretUntil: momentOrNull('Until then, requests are also signed with the secret before the last rotation'),
  },
  { title: 'Webhook' },
)

type Row = Selectable<WebhooksTable>

export function webhookOf(row: Omit<Row, 'secret' | 'previous_secret' | 'paused_until'>): Static<typeof Webhook> {
  return {
    webhookId: row.id,
    url: row.url,
    events: JSON.parse(row.events) as WebhookEventType[],
    isEnabled: row.disabled_at === null,
    createdAt: isoTime(row.created_at),
    disabledAt: isoTimeOrNull(row.disabled_at),
    failingSince: isoTimeOrNull(row.failing_since),
    previousSecretUntil: isoTimeOrNull(row.previous_until),
  }
}

/** The event types as they are stored. */
export const storedEvents = (types: WebhookEventType[]) => JSON.stringify([...new Set(types)])

export async function lockWebhook(tx: Tx, id: string): Promise<Row> {
  const webhook = await tx.selectFrom('webhooks').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
  if (!webhook) throw new Refusal(unknownWebhook)
  return webhook
}

/** The URL as it is stored. Throws if no webhook may have it. */
export function checkedUrl(text: string, config: Pick<Config, 'mode' | 'webhookPrivateAddresses'>): string {
  const url = new URL(text)
  const fault = urlFault(url, config)
  if (fault) throw invalid('url', 'not_allowed', fault)
  return url.href
}

/** The URL as the audit log has it. Its path may contain a secret of the receiver. */
export const originOf = (url: string) => new URL(url).origin
