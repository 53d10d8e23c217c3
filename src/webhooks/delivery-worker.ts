import { type Selectable, sql } from 'kysely'
import type { Clock } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { type LeaseWorker, startLeaseWorker } from '../database/lease-worker.ts'
import type { WebhookDeliveriesTable } from '../database/webhook-tables.ts'
import { HOUR_MS, MINUTE_MS } from '../lib/dates.ts'
import type { Observer } from '../lib/observer.ts'
import type { Log } from '../logging/log.ts'
import type { Messages } from '../mail/messages.ts'
import type { Outbox } from '../mail/outbox.ts'
import type { SecretBox } from '../proofs/secret-box.ts'
import type { SendWebhook } from './send.ts'
import { signatureOf } from './signature.ts'
import { MAX_FAILING_MS, switchOff } from './switch-off.ts'

export interface WebhookWorkerParts {
  database: Database
  clock: Pick<Clock, 'now'>
  log: Log
  outbox: Outbox
  messages: Messages
  secretBox: Pick<SecretBox, 'open'>
  send: SendWebhook
  observer?: Pick<Observer, 'calledWebhook'> | undefined
}

type Delivery = Selectable<WebhookDeliveriesTable>

const CONCURRENCY = 10
// The pauses that Standard Webhooks recommends. Together they are longer than MAX_FAILING_MS, so the last attempt
// switches a webhook off that has failed for all that time.
const BACKOFF_MS = [10_000, 5 * MINUTE_MS, 30 * MINUTE_MS, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS)]
const PAUSE_MS = 10_000
// RFC 9110, section 15.5.11: the resource is gone for good. Standard Webhooks lets a receiver end its webhook with it.
const GONE = 410

class UnexpectedStatus extends Error {
  override readonly name = 'UnexpectedStatus'
  readonly status: number
  constructor(status: number) {
    super(`the response has the status ${status}`)
    this.status = status
  }
}

/** Sends the deliveries of webhooks. Several instances may run a worker on the same database. */
export function startWebhookWorker(parts: WebhookWorkerParts): LeaseWorker {
  const { database, clock, log, secretBox, observer } = parts
  const { query, now } = database
  return startLeaseWorker(database, log, {
    table: 'webhook_deliveries',
    title: 'the deliveries of webhooks',
    concurrency: CONCURRENCY,
    isDeliverable: sql`webhook_id in (
      select id from webhooks where disabled_at is null and (paused_until is null or paused_until <= ${now}))`,
    send,
    markSent: recordSuccess,
    markFailed: recordFailure,
  })

  /** Returns the status of the response. Undefined if the webhook was deleted or switched off meanwhile. */
  async function send({ id, webhook_id, payload, trace }: Delivery): Promise<number | undefined> {
    const webhook = await query
      .selectFrom('webhooks')
      .select([
        'url',
        'secret',
        sql<string | null>`case when previous_until > ${now} then previous_secret end`.as('previous'),
      ])
      .where('id', '=', webhook_id)
      .where('disabled_at', 'is', null)
      .executeTakeFirst()
    if (!webhook) return undefined
    const secrets = [webhook.secret, webhook.previous].flatMap((sealed) =>
      sealed === null ? [] : [secretBox.open(webhook_id, sealed)],
    )
    const timestamp = Math.floor(clock.now() / 1000)
    const status = await parts.send({
      url: webhook.url,
      headers: {
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signatureOf(secrets, { id, timestamp, body: payload }),
        ...(trace && JSON.parse(trace)),
      },
      body: payload,
    })
    if (status < 200 || status > 299) throw new UnexpectedStatus(status)
    return status
  }

  async function recordSuccess({ id, webhook_id }: Delivery, status: number | undefined): Promise<void> {
    if (status === undefined) return
    observer?.calledWebhook('success')
    await query
      .updateTable('webhook_deliveries')
      .set({ delivered_at: now, due_at: null, status_code: status, last_error: null })
      .where('id', '=', id)
      .execute()
    await query
      .updateTable('webhooks')
      .set({ failing_since: null, paused_until: null })
      .where('id', '=', webhook_id)
      .where('failing_since', 'is not', null)
      .execute()
  }

  async function recordFailure({ id, webhook_id, attempts }: Delivery, error: unknown): Promise<void> {
    observer?.calledWebhook('failure')
    const status = error instanceof UnexpectedStatus ? error.status : null
    const reason = (error instanceof Error ? error.message : String(error)).slice(0, 500)
    const backoffMs = BACKOFF_MS[attempts - 1]
    const isOff = await database.transaction(async (tx) => {
      // In the order of a deletion: first the webhook, then its deliveries.
      await tx
        .updateTable('webhooks')
        .set((eb) => ({
          failing_since: eb.fn.coalesce('failing_since', now),
          paused_until: eb(now, '+', PAUSE_MS),
        }))
        .where('id', '=', webhook_id)
        // An owner may have switched it off meanwhile.
        .where('disabled_at', 'is', null)
        .execute()
      await tx
        .updateTable('webhook_deliveries')
        .set((eb) => ({
          due_at: backoffMs === undefined ? null : eb(now, '+', backoffMs),
          status_code: status,
          last_error: reason,
        }))
        .where('id', '=', id)
        .execute()
      return switchOff(tx, parts, webhook_id, { afterMs: status === GONE ? 0 : MAX_FAILING_MS, reason })
    })
    const details = { err: error, deliveryId: id, attempts }
    if (isOff) log.error(details, 'switched off a webhook')
    else log.warn(details, backoffMs === undefined ? 'gave up a webhook delivery' : 'will try a webhook delivery again')
  }
}
