import { sql } from 'kysely'
import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../database/database.ts'
import { shareRead } from './shared-read.ts'

/** Returns a function that reads the events that wait for webhooks which are on. Undefined without a response. */
export function createReadWebhooks(database: Database) {
  // `webhook_deliveries_due` has the events that wait. The delivery log beside them may be large.
  const read = database.prepare((query) =>
    query
      .selectFrom('webhook_deliveries')
      .where('due_at', 'is not', null)
      .where('webhook_id', 'in', (eb) => eb.selectFrom('webhooks').select('id').where('disabled_at', 'is', null))
      .select([
        sql<number>`count(*)`.as('waiting'),
        sql<number | null>`${database.now} - min(webhook_deliveries.created_at)`.as('age_ms'),
      ]),
  )
  return shareRead(async () => {
    const [row] = await read()
    return { waiting: row?.waiting ?? 0, oldestAgeSeconds: Math.max(0, row?.age_ms ?? 0) / 1000 }
  })
}

/** All workers read the same table: as for the outbox (`gauges.ts`), the largest of their values is reported. */
export function registerWebhooks(registry: Registry, database: Database): void {
  const readWebhooks = createReadWebhooks(database)
  const options = { aggregator: 'max' as const, registers: [registry], labelNames: [] }
  new Gauge({
    ...options,
    name: 'portico_webhook_waiting_events',
    help: 'Events that wait for delivery to webhooks that are on',
    async collect() {
      this.remove()
      const state = await readWebhooks()
      if (state) this.set(state.waiting)
    },
  })
  new Gauge({
    ...options,
    name: 'portico_webhook_oldest_age_seconds',
    help: 'Age of the oldest event that waits; 0 without one',
    async collect() {
      this.remove()
      const state = await readWebhooks()
      if (state) this.set(state.oldestAgeSeconds)
    },
  })
}
