import { Counter, Gauge, Registry } from 'prom-client'
import type { Config } from '../config/config.ts'
import { LIMIT_NAMES } from '../config/limit-kinds.ts'
import type { Database } from '../database/database.ts'
import type { Observer, StatementKind } from '../lib/observer.ts'
import type { Snapshot } from './aggregate.ts'
import { observeEventLoop } from './event-loop.ts'
import { registerGauges } from './gauges.ts'
import { DurationHistogram } from './histogram.ts'
import { LOG_IN_METHODS } from './log-ins.ts'
import { createRequestMetrics } from './requests.ts'

export interface Metrics {
  observer: Observer
  /** Adds the gauges that are read from the database. */
  watch(database: Database): void
  /** The measurements of this process in the text format of Prometheus. */
  scrape(): Promise<string>
  /** The measurements of this process, for the primary process, which adds up those of all workers. */
  snapshot(): Promise<Snapshot>
  stop(): void
}

const STATEMENT_BOUNDS_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2]
const HASH_BOUNDS_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
const STATEMENT_KINDS: StatementKind[] = ['select', 'insert', 'update', 'delete', 'other']

/** Everything that is measured. docs/pages/reference/metrics.md describes the metrics. */
export function createMetrics({ database: { engine } }: Config): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const eventLoop = observeEventLoop(registry)
  const statements = new DurationHistogram(registry, {
    name: 'portico_database_query_duration_seconds',
    help: 'Time of a statement, by its kind',
    bounds: STATEMENT_BOUNDS_SECONDS,
  })
  const statementSeries = Object.fromEntries(
    STATEMENT_KINDS.map((kind) => [kind, statements.add({ engine, kind })]),
  ) as Record<StatementKind, ReturnType<DurationHistogram['add']>>
  const syncs =
    engine === 'sqlite'
      ? new DurationHistogram(registry, {
          name: 'portico_database_sync_duration_seconds',
          help: 'Time of an fdatasync of the SQLite WAL, which commits wait for',
          bounds: STATEMENT_BOUNDS_SECONDS,
        }).add()
      : undefined
  const hashes = new DurationHistogram(registry, {
    name: 'portico_hash_duration_seconds',
    help: 'Time in which a thread computes a password hash',
    bounds: HASH_BOUNDS_SECONDS,
  }).add()
  const limited = new Counter({
    name: 'portico_rate_limited_total',
    help: 'Requests that a rate limit has refused, and mails that it has withheld',
    labelNames: ['limit'],
    registers,
  })
  for (const limit of LIMIT_NAMES) limited.inc({ limit }, 0)
  const logIns = new Counter({
    name: 'portico_log_ins_total',
    help: 'Log-ins by method and result',
    labelNames: ['method', 'result'],
    registers,
  })
  for (const method of Object.values(LOG_IN_METHODS)) logIns.inc({ method, result: 'success' }, 0)

  const webhookCalls = new Counter({
    name: 'portico_webhook_calls_total',
    help: 'Calls of webhooks by result',
    labelNames: ['result'],
    registers,
  })
  for (const result of ['success', 'failure']) webhookCalls.inc({ result }, 0)

  return {
    observer: {
      request: createRequestMetrics(registry),
      statement: (kind, milliseconds) => statementSeries[kind].observe(milliseconds),
      synced: (milliseconds) => syncs?.observe(milliseconds),
      hashed: (milliseconds) => hashes.observe(milliseconds),
      limited: (limit) => limited.inc({ limit }),
      loggedIn: (method, result) => logIns.inc({ method, result }),
      calledWebhook: (result) => webhookCalls.inc({ result }),
      published: createContentMetrics(registry),
    },
    watch: (database) => registerGauges(registry, database),
    scrape: () => registry.metrics(),
    snapshot: () => registry.getMetricsAsJSON(),
    stop: eventLoop.stop,
  }
}

/** Each worker builds the same site. Workers may briefly differ while they build. */
function createContentMetrics(registry: Registry): Observer['published'] {
  const gauge = (name: string, help: string) => new Gauge({ name, help, aggregator: 'max', registers: [registry] })
  const pages = gauge('portico_content_pages', 'Pages of the public site')
  const faults = gauge('portico_content_faults', 'Faults in the content folder')
  const duration = gauge('portico_content_publication_duration_seconds', 'Time in which the site was last built')
  const builtAt = gauge('portico_content_publication_timestamp_seconds', 'When the site was last built, since 1970')
  return (site) => {
    pages.set(site.pages)
    faults.set(site.faults)
    duration.set(site.milliseconds / 1000)
    builtAt.set(Date.now() / 1000)
  }
}
