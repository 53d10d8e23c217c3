import { createHash, randomUUID } from 'node:crypto'
import type { Insertable } from 'kysely'
import { openKeyedHash } from '../../src/database/secrets.ts'
import type { WebhookDeliveriesTable, WebhooksTable } from '../../src/database/webhook-tables.ts'
import type { Service } from './service.ts'
import { SHOWN_PERSON_ID } from './shown-people.ts'

const DAY_MS = 24 * 60 * 60_000
const MINUTE_MS = 60_000

/** The token of an invitation that is open. */
export const SHOWN_INVITATION = '5f0c1d2e3b4a59687766554433221100'
export const FAILING_WEBHOOK_ID = 'b1e6f0a4-5d7c-4a38-8c21-9e3f7a6d5b40'
export const NEW_WEBHOOK_ID = 'c8a1d9f2-6e4b-4f07-9b35-1d2c3e4f5a60'
const OFF_WEBHOOK_ID = 'd3f7b2c5-9a8e-4d16-a047-2b1c0d9e8f70'

/** Stores invitations in every state, and webhooks in every state, one of them with a delivery log. */
export async function storeShownDesk(service: Service): Promise<void> {
  await storeInvitations(service)
  await storeShownWebhooks(service, SHOWN_PERSON_ID)
}

async function storeInvitations({ portico: { database, clock } }: Service): Promise<void> {
  const { query } = database
  const nowMs = clock.now()
  const hash = await openKeyedHash(query)
  const tokenHash = hash(JSON.stringify(['invitation', SHOWN_INVITATION]))
  const states = [
    { email: 'katherine@example.com', token_hash: tokenHash },
    { email: 'ada@example.com', used_at: nowMs - DAY_MS, user_id: SHOWN_PERSON_ID },
    { email: 'a-very-long-address-that-fits-into-no-column@subdomain.of.another.example.com' },
    { email: 'konrad@example.com', revoked_at: nowMs - DAY_MS },
    { email: 'emmy@example.com', expires_at: nowMs - DAY_MS },
  ]
  for (const [index, state] of states.entries()) {
    const created_at = nowMs - (index + 1) * DAY_MS
    await query
      .insertInto('invitations')
      .values({ id: randomUUID(), token_hash: randomUUID(), created_at, expires_at: nowMs + 6 * DAY_MS, ...state })
      .execute()
  }
}

/** The deliveries are about the person. */
export async function storeShownWebhooks({ portico: { database, clock } }: Service, userId: string): Promise<void> {
  const { query } = database
  const nowMs = clock.now()
  const webhooks: Insertable<WebhooksTable>[] = [
    {
      id: FAILING_WEBHOOK_ID,
      url: 'https://hooks.example.com/portico',
      events: '["account.created","account.verified","account.email-changed"]',
      created_at: nowMs - 20 * DAY_MS,
      failing_since: nowMs - 90 * MINUTE_MS,
      previous_secret: 'x',
      previous_until: nowMs + DAY_MS,
      secret: 'x',
    },
    {
      id: NEW_WEBHOOK_ID,
      url: 'https://mail.example.org/a/very/long/path/that/has/no/space/and/fits/into/no/column?key=0123456789abcdef',
      events: '["account.deleted"]',
      created_at: nowMs,
      secret: 'x',
    },
    {
      id: OFF_WEBHOOK_ID,
      url: 'https://old.example.net/hook',
      events: '["account.created"]',
      created_at: nowMs - 200 * DAY_MS,
      failing_since: nowMs - 5 * DAY_MS,
      disabled_at: nowMs - 2 * DAY_MS,
      secret: 'x',
    },
  ]
  await query.insertInto('webhooks').values(webhooks).execute()
  const outcomes: Partial<Insertable<WebhookDeliveriesTable>>[] = [
    { type: 'account.email-changed', due_at: nowMs + DAY_MS, attempts: 0 },
    { due_at: nowMs + DAY_MS, attempts: 4, status_code: 503, last_error: 'the response has the status 503' },
    { type: 'account.verified', attempts: 10, last_error: 'there was no response within 5 seconds' },
    { attempts: 1, status_code: 204, delivered_at: nowMs - 80 * MINUTE_MS },
  ]
  for (const [index, outcome] of outcomes.entries()) {
    const delivery = {
      id: `msg_${createHash('md5').update(String(index)).digest('hex')}`,
      webhook_id: FAILING_WEBHOOK_ID,
      type: 'account.created' as const,
      user_id: userId,
      created_at: nowMs - (index * 50 + 1) * MINUTE_MS,
      ...outcome,
    }
    const data = { userId, email: 'ada@example.com' }
    const payload = { type: delivery.type, timestamp: new Date(delivery.created_at).toISOString(), data }
    await query
      .insertInto('webhook_deliveries')
      .values({ ...delivery, payload: JSON.stringify(payload) })
      .execute()
  }
}
