import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { exitWith, onceAskedToStop, WORKERS_LIMIT_MS } from './stopping.ts'

// The pause before a crashed worker is replaced doubles with each crash in its slot, until one has lived long enough.
const MIN_BACKOFF_MS = 500
const MAX_BACKOFF_MS = 30_000
const LIVED_WELL_MS = 60_000
// How often a worker is started at once when none is left and none has come up in between.
const QUICK_RESTARTS = 2

/** One of the workers that should be running, and how often it has crashed in a row. */
interface Slot {
  crashes: number
}

/**
 * Keeps so many workers serving one port. This process takes the connections and hands them out in turn, so that each
 * worker gets its share and none is lost with a worker; it runs nothing else. What workers share is in the database.
 */
export async function startWorkers({ workers, mode }: Config, log: Logger): Promise<void> {
  const alive = new Set<Worker>()
  const allEnded = Promise.withResolvers<void>()
  let isUp = false
  let isStopping = false
  let failures = 0
  // How often no worker was left since one last came up.
  let timesEmptied = 0

  cluster.setupPrimary({ exec: fileURLToPath(new URL('../main.js', import.meta.url)), args: [] })
  onceAskedToStop(async (reason) => {
    log.info(`${reason}: stopping ${alive.size} workers`)
    isStopping = true
    setTimeout(() => signalAll('SIGKILL'), WORKERS_LIMIT_MS).unref()
    signalAll('SIGTERM')
    if (alive.size > 0) await allEnded.promise
    log.info('all workers have stopped')
    await exitWith(failures > 0 ? 1 : 0, log)
  })

  if (mode === 'production') process.on('SIGHUP', () => signalAll('SIGHUP'))

  // The first one brings the database up to date, and tells when it has started: then the service can.
  start({ crashes: 0 }).once('message', () => {
    isUp = true
    for (let number = 1; number < workers && !isStopping; number++) start({ crashes: 0 })
  })

  function start(slot: Slot): Worker {
    const worker = cluster.fork()
    const began = Date.now()
    alive.add(worker)
    log.info(`worker ${worker.id} is process ${worker.process.pid}`)
    worker.once('message', () => {
      timesEmptied = 0
    })
    worker.on('exit', (code: number | null, signal: string | null) => {
      alive.delete(worker)
      if (isStopping) {
        // One that was still starting had nothing to finish.
        const isWell = code === 0 || signal === 'SIGTERM' || signal === 'SIGINT'
        failures += isWell ? 0 : 1
        if (alive.size === 0) allEnded.resolve()
      } else if (isUp) {
        if (Date.now() - began > LIVED_WELL_MS) slot.crashes = 0
        const pause = pauseAfter(slot, code === 0)
        const when = pause > 0 ? `in ${pause / 1000} s` : 'at once'
        log.error(`worker ${worker.id} has ended (${signal ?? `exit code ${code}`}): another one starts ${when}`)
        setTimeout(() => isStopping || start(slot), pause)
      } else {
        // It has said itself why it could not start.
        void exitWith(code || 1, log)
      }
    })
    return worker
  }

  /** How long a slot stays empty after its worker has ended. */
  function pauseAfter(slot: Slot, wasAskedToStop: boolean): number {
    if (wasAskedToStop) return 0
    const pause = backoff(slot.crashes)
    slot.crashes += 1
    if (alive.size > 0) return pause
    // Nobody serves now: one starts at once, unless starting itself fails again and again.
    timesEmptied += 1
    return timesEmptied > QUICK_RESTARTS ? Math.min(pause, backoff(timesEmptied - QUICK_RESTARTS - 1)) : 0
  }

  function signalAll(signal: NodeJS.Signals): void {
    for (const worker of alive) worker.process.kill(signal)
  }
}

function backoff(crashes: number): number {
  return Math.min(MIN_BACKOFF_MS * 2 ** crashes, MAX_BACKOFF_MS)
}
