import type { Generated } from 'kysely'

export const WEBHOOK_EVENT_TYPES = [
  'account.created',
  'account.verified',
  'account.email-changed',
  'account.suspended',
  'account.suspension-lifted',
  'account.deleted',
  'session.started',
] as const
export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number]

/** An address that is called when something happens to an account. */
export interface WebhooksTable {
  id: string
  url: string
  /** The key of the signatures, encrypted by `proofs/secret-box.ts`. */
  secret: string
  /** The key before the last rotation. Until `previous_until` a request has a signature of it too. */
  previous_secret: string | null
  previous_until: number | null
  /** A JSON array of event types. */
  events: string
  created_at: number
  /** Null while the webhook is on. */
  disabled_at: number | null
  /** The time of the first failure since the last success. */
  failing_since: number | null
  /**
   * No request is sent before this time, so that a failing endpoint does not delay the deliveries of other webhooks.
   */
  paused_until: number | null
}

/** An event for one webhook. The rows stay for a while after the delivery: they are the delivery log. */
export interface WebhookDeliveriesTable {
  /** The header `webhook-id`, the same for every attempt. */
  id: string
  webhook_id: string
  type: WebhookEventType
  /** The account of the event. Null for `account.deleted`, which must outlive it. */
  user_id: string | null
  /** The body of the request. */
  payload: string
  /** The headers of the trace that the change belonged to, as a JSON object. */
  trace: string | null
  created_at: number
  attempts: Generated<number>
  /**
   * When the next attempt may be made. An instance that is sending moves this time ahead: a lease. Null after the
   * delivery, and after the last attempt.
   */
  due_at: number | null
  /** The status of the last response. Null when there was none. */
  status_code: number | null
  last_error: string | null
  delivered_at: number | null
}
