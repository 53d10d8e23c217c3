import cluster, { type Worker } from 'node:cluster'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { ConnectionDistributor } from './connection-distributor.ts'
import { exitWith, onShutdownRequest, WORKER_KILL_AFTER_MS } from './stopping.ts'
import type { WorkerMessage } from './worker-listener.ts'

// Exponential backoff: the pause before a restart doubles with each crash in a slot. A worker that ran for
// STABLE_AFTER_MS resets the backoff of its slot.
const MIN_BACKOFF_MS = 500
const MAX_BACKOFF_MS = 30_000
const STABLE_AFTER_MS = 60_000
// When no worker is running, so many restarts in a row skip the backoff. A worker that has started resets the count.
const MAX_IMMEDIATE_RESTARTS = 2

/** One of the WORKERS processes that should be running. `crashes` counts its crashes in a row. */
interface Slot {
  crashes: number
}

/**
 * Keeps the configured number of workers running. The primary process accepts the connections, so the listening socket
 * survives the crash of a worker. Workers share state through the database only. Rejects when the service cannot listen
 * at its address.
 */
export async function startWorkers({ workers, mode, host, port, metrics }: Config, log: Logger): Promise<never> {
  const distributor = new ConnectionDistributor({ host, port })
  const collector = metrics && new (await import('./metrics-collector.ts')).MetricsCollector()
  const { promise: failed, reject: fail } = Promise.withResolvers<never>()
  const alive = new Set<Worker>()
  const allEnded = Promise.withResolvers<void>()
  let isUp = false
  let isStopping = false
  let failures = 0
  // How often the last running worker has ended since a worker last finished its start.
  let timesEmptied = 0

  // `exec` is the entry of this process by default: main.js.
  cluster.setupPrimary({ args: ['serve'] })
  onShutdownRequest(async (reason) => {
    log.info(`${reason}: stopping ${alive.size} workers`)
    isStopping = true
    setTimeout(() => signalAll('SIGKILL'), WORKER_KILL_AFTER_MS).unref()
    signalAll('SIGTERM')
    if (alive.size > 0) await allEnded.promise
    log.info('all workers have stopped')
    await exitWith(failures > 0 ? 1 : 0, log)
  })

  if (mode === 'production') process.on('SIGHUP', () => signalAll('SIGHUP'))

  if (collector && metrics?.at) {
    const { listenForScrapes } = await import('../metrics/serve-metrics.ts')
    log.info(`Metrics at ${await listenForScrapes(metrics.at, () => collector.scrape(), log)}`)
  }

  // The first worker runs the migrations.
  start({ crashes: 0 })
  return failed

  function start(slot: Slot): Worker {
    const worker = cluster.fork()
    const startedAt = Date.now()
    alive.add(worker)
    log.info(`worker ${worker.id} is process ${worker.process.pid}`)
    worker.on('message', (message: WorkerMessage) => {
      if (message === 'listen') {
        collector?.add(worker)
        distributor.add(worker).catch(fail)
      } else if (message === 'received') distributor.confirm(worker)
      else if (message === 'stop listening') void distributor.release(worker)
      else if (message === 'opened') startOthers()
      else if (message === 'scrape') void collector?.scrapeFor(worker)
      else collector?.receive(worker, message.snapshot)
    })
    worker.on('exit', (code: number | null, signal: string | null) => {
      alive.delete(worker)
      distributor.remove(worker)
      collector?.remove(worker)
      if (isStopping) {
        // A signal ends a worker that is still starting: it has no requests to finish.
        const isCleanExit = code === 0 || signal === 'SIGTERM' || signal === 'SIGINT'
        failures += isCleanExit ? 0 : 1
        if (alive.size === 0) allEnded.resolve()
      } else if (isUp) {
        if (Date.now() - startedAt > STABLE_AFTER_MS) slot.crashes = 0
        const pauseMs = restartPauseMs(slot, code === 0)
        const delay = pauseMs > 0 ? `in ${pauseMs / 1000} s` : 'at once'
        log.error(`worker ${worker.id} has ended (${signal ?? `exit code ${code}`}): another one starts ${delay}`)
        setTimeout(() => isStopping || start(slot), pauseMs)
      } else {
        // The worker has already printed why it could not start.
        void exitWith(code || 1, log)
      }
    })
    return worker
  }

  /** Called when a worker serves. After the first call, the service is up. */
  function startOthers(): void {
    timesEmptied = 0
    if (isUp) return
    isUp = true
    for (let number = 1; number < workers && !isStopping; number++) start({ crashes: 0 })
  }

  /**
   * The time until the worker of a slot is replaced. A worker that was stopped by a signal exits cleanly: no backoff.
   */
  function restartPauseMs(slot: Slot, isCleanExit: boolean): number {
    if (isCleanExit) return 0
    const pauseMs = backoffMs(slot.crashes)
    slot.crashes += 1
    if (alive.size > 0) return pauseMs
    // No worker is running: the restart is immediate, unless workers crash during their start repeatedly.
    timesEmptied += 1
    return timesEmptied > MAX_IMMEDIATE_RESTARTS
      ? Math.min(pauseMs, backoffMs(timesEmptied - MAX_IMMEDIATE_RESTARTS - 1))
      : 0
  }

  function signalAll(signal: NodeJS.Signals): void {
    for (const worker of alive) worker.process.kill(signal)
  }
}

function backoffMs(crashes: number): number {
  return Math.min(MIN_BACKOFF_MS * 2 ** crashes, MAX_BACKOFF_MS)
}
