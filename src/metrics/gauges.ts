import { Counter, Gauge, type Registry } from 'prom-client'
import { hashQueueCapacity, hashQueueLength } from '../accounts/password-hash.ts'
import type { Database } from '../database/database.ts'
import { version } from '../lib/version.ts'
import { createReadOutbox } from './outbox.ts'
import { registerWebhooks } from './webhooks.ts'

/**
 * The gauges whose values are read at each scrape. With several workers, gauges are summed unless they say otherwise.
 */
export function registerGauges(registry: Registry, database: Database): void {
  const registers = [registry]
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })

  gauge('portico_hash_queue_length', 'Password hashes that wait in the queue', hashQueueLength)
  gauge('portico_hash_queue_capacity', 'Password hashes that may wait before requests get 503', hashQueueCapacity)
  gauge('process_resident_memory_bytes', 'Resident memory', () => process.memoryUsage.rss())
  gauge('nodejs_heap_used_bytes', 'Memory of the JavaScript heap that is in use', () => process.memoryUsage().heapUsed)
  gauge('nodejs_external_memory_bytes', 'Memory of buffers outside of the heap', () => process.memoryUsage().external)
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time in user and system mode, of all threads',
    registers,
    collect() {
      const { user, system } = process.cpuUsage()
      this.reset()
      this.inc((user + system) / 1e6)
    },
  })
  const startedAt = Date.now() / 1000 - process.uptime()
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'Start of the process, in seconds since 1970',
    aggregator: 'min',
    registers,
  }).set(startedAt)
  new Gauge({
    name: 'portico_build_info',
    help: 'Always 1; the labels say what runs',
    labelNames: ['version', 'node', 'engine'],
    aggregator: 'first',
    registers,
  }).set({ version, node: process.versions.node, engine: database.name }, 1)

  registerPool(registry, database)
  registerOutbox(registry, database)
  registerWebhooks(registry, database)
}

function registerPool(registry: Registry, { connections }: Database): void {
  if (!connections) return
  new Gauge({
    name: 'portico_database_pool_connections',
    help: 'Connections to PostgreSQL that are busy or idle, and callers that wait for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(connections())) this.set({ state }, count)
    },
  })
}

/**
 * All workers read the same table, so their values are not summed. Each value is at most five seconds old
 * (`shared-read.ts`), and the largest one is reported.
 */
function registerOutbox(registry: Registry, database: Database): void {
  const readOutbox = createReadOutbox(database)
  const options = { aggregator: 'max' as const, registers: [registry] }
  new Gauge({
    ...options,
    name: 'portico_outbox_mails',
    help: 'Mails that wait for delivery, and mails that failed permanently',
    labelNames: ['state'],
    async collect() {
      this.reset()
      const outbox = await readOutbox()
      if (!outbox) return
      this.set({ state: 'waiting' }, outbox.waiting)
      this.set({ state: 'failed' }, outbox.failed)
    },
  })
  new Gauge({
    ...options,
    name: 'portico_outbox_oldest_age_seconds',
    help: 'Age of the oldest mail that waits; 0 without one',
    labelNames: [],
    async collect() {
      this.remove()
      const outbox = await readOutbox()
      if (outbox) this.set(outbox.oldestAgeSeconds)
    },
  })
}
