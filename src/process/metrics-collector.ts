import type { Worker } from 'node:cluster'
import { setTimeout } from 'node:timers/promises'
import { singleFlight } from '../lib/single-flight.ts'
import { addCounts, type Snapshot, textOf } from '../metrics/aggregate.ts'
import type { PrimaryMessage } from './worker-listener.ts'

// Prometheus waits for ten seconds by default (`scrape_timeout`).
const SNAPSHOT_TIMEOUT_MS = 5000

/** Adds up the metrics of all workers in the primary process. A scrape fails when a worker does not send its own. */
export class MetricsCollector {
  readonly #workers = new Set<Worker>()
  readonly #latest = new Map<Worker, Snapshot>()
  readonly #pending = new Map<Worker, PromiseWithResolvers<void>>()
  /** The counts of the workers that have ended, from their latest snapshots. */
  #ended: Promise<Snapshot> = Promise.resolve([])

  /** The worker serves from now on. */
  add(worker: Worker): void {
    this.#workers.add(worker)
  }

  /** Also called without being asked: a worker that is stopped sends its last snapshot. */
  receive(worker: Worker, snapshot: Snapshot | undefined): void {
    const pending = this.#pending.get(worker)
    this.#pending.delete(worker)
    if (snapshot) {
      this.#latest.set(worker, snapshot)
      pending?.resolve()
    } else pending?.reject(new Error('a worker could not take a snapshot'))
  }

  /** The worker has ended. */
  remove(worker: Worker): void {
    const latest = this.#latest.get(worker)
    if (latest) this.#ended = this.#ended.then((ended) => addCounts(ended, latest))
    this.#workers.delete(worker)
    this.#latest.delete(worker)
    this.#pending.get(worker)?.resolve()
    this.#pending.delete(worker)
  }

  /** The metrics of all workers. Concurrent scrapes share the snapshots. */
  readonly scrape: () => Promise<string> = singleFlight(() => this.#collect())

  /** Sends the metrics of all workers to one of them, which has been asked for them. */
  async scrapeFor(worker: Worker): Promise<void> {
    const scraped = await this.scrape().catch(() => undefined)
    send(worker, { scraped })
  }

  async #collect(): Promise<string> {
    const all = Promise.all([...this.#workers].map((worker) => this.#take(worker)))
    const timeout = new AbortController()
    const expired = setTimeout(SNAPSHOT_TIMEOUT_MS, undefined, { signal: timeout.signal, ref: false }).then(() => {
      throw new Error('a worker did not send its metrics in time')
    })
    try {
      await Promise.race([all, expired])
    } finally {
      timeout.abort()
      expired.catch(() => {})
    }
    return textOf([await this.#ended, ...this.#latest.values()])
  }

  #take(worker: Worker): Promise<void> {
    const pending = this.#pending.get(worker) ?? Promise.withResolvers<void>()
    this.#pending.set(worker, pending)
    send(worker, 'take a snapshot')
    return pending.promise
  }
}

/** An error means that the worker has ended: its `exit` event follows. */
function send(worker: Worker, message: PrimaryMessage): void {
  worker.send(message, () => {})
}
