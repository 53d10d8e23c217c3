import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Clock } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { SessionMethod } from '../database/enumerations.ts'
import type { WebhookEventType } from '../database/webhook-tables.ts'
import { isoTime } from '../lib/dates.ts'
import { traceHeaders } from '../lib/trace-context.ts'

interface Account {
  userId: string
  email: string
}

/** `data` in the body of each event. */
interface EventData extends Record<WebhookEventType, object> {
  'account.created': Account
  'account.verified': Account
  'account.email-changed': Account & { previousEmail: string }
  'account.suspended': Account & { until: string; reason: string }
  'account.suspension-lifted': Account
  /** Without the address: nothing of a deleted account is stored, and the receiver knows the id. */
  'account.deleted': { userId: string }
  'session.started': Account & { sessionId: string; method: SessionMethod }
}

export interface WebhookEvents {
  /** Whether a webhook subscribes to the event, for a statement that reads this together with other values. */
  hasSubscriber(type: WebhookEventType): RawBuilder<SqlBool>
  /**
   * Inserts a delivery for each webhook that subscribes to the event, in the transaction of the change, so both are
   * committed or neither.
   */
  enqueue<Type extends WebhookEventType>(tx: Tx, type: Type, data: EventData[Type] & { userId: string }): Promise<void>
  /** Lets the worker of this process read the deliveries once the transaction is committed. */
  wakeAfter(tx: Tx): void
}

export function createWebhookEvents(database: Database, clock: Pick<Clock, 'now'>, wake: () => void): WebhookEvents {
  const { now, name } = database
  const randomHex =
    name === 'postgres' ? sql`replace(gen_random_uuid()::text, '-', '')` : sql`lower(hex(randomblob(16)))`
  const wakeAfter = (tx: Tx) => database.afterCommit(tx, wake)
  return {
    hasSubscriber: (type) => sql<SqlBool>`exists (select 1 ${fromSubscribedWebhooks(type)})`,
    wakeAfter,
    async enqueue(tx, type, data) {
      const trace = traceHeaders()
      const payload = JSON.stringify({ type, timestamp: isoTime(clock.now()), data })
      // A foreign key deletes the other deliveries about the account with it.
      const userId = type === 'account.deleted' ? null : data.userId
      const { numAffectedRows = 0n } = await sql`
        insert into webhook_deliveries (id, webhook_id, type, user_id, payload, trace, created_at, due_at)
        select 'msg_' || ${randomHex}, id, ${type}, ${userId}, ${payload},
          ${'traceparent' in trace ? JSON.stringify(trace) : null}, ${now}, ${now}
        ${fromSubscribedWebhooks(type)}`.execute(tx)
      if (numAffectedRows > 0n) wakeAfter(tx)
    },
  }
}

function fromSubscribedWebhooks(type: WebhookEventType): RawBuilder<unknown> {
  return sql`from webhooks where disabled_at is null and events like ${`%"${type}"%`}`
}
