import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { exitWith, onceAskedToStop, WORKERS_LIMIT } from './stopping.ts'

// A worker that ends is replaced; when that happens again and again, more and more slowly.
const SHORTEST_PAUSE = 500
const LONGEST_PAUSE = 30_000
const LIVED_WELL = 60_000

/**
 * Keeps so many workers serving one port. This process takes the connections and hands them out in turn, so that each
 * worker gets its share and none is lost with a worker; it runs nothing else. What workers share is in the database.
 */
export async function startWorkers({ workers, mode }: Config, log: Logger): Promise<void> {
  const alive = new Set<Worker>()
  const allEnded = Promise.withResolvers<void>()
  let isUp = false
  let isStopping = false
  let crashes = 0
  let failures = 0

  cluster.setupPrimary({ exec: fileURLToPath(new URL('./main.js', import.meta.url)), args: [] })
  onceAskedToStop(async (reason) => {
    log.info(`${reason}: stopping ${alive.size} workers`)
    isStopping = true
    setTimeout(() => signalAll('SIGKILL'), WORKERS_LIMIT).unref()
    signalAll('SIGTERM')
    if (alive.size > 0) await allEnded.promise
    log.info('all workers have stopped')
    await exitWith(failures > 0 ? 1 : 0, log)
  })

  if (mode === 'production') process.on('SIGHUP', () => signalAll('SIGHUP'))

  // The first one brings the database up to date, and tells when it has started: then the service can.
  start().once('message', () => {
    isUp = true
    for (let number = 1; number < workers && !isStopping; number++) start()
  })

  function start(): Worker {
    const worker = cluster.fork()
    const began = Date.now()
    alive.add(worker)
    log.info(`worker ${worker.id} is process ${worker.process.pid}`)
    worker.on('exit', (code: number | null, signal: string | null) => {
      alive.delete(worker)
      if (isStopping) {
        // One that was still starting had nothing to finish.
        const isWell = code === 0 || signal === 'SIGTERM' || signal === 'SIGINT'
        failures += isWell ? 0 : 1
        if (alive.size === 0) allEnded.resolve()
      } else if (isUp) {
        replace(worker, signal ?? `exit code ${code}`, Date.now() - began)
      } else {
        // It has said itself why it could not start.
        process.exit(code || 1)
      }
    })
    return worker
  }

  function replace({ id }: Worker, how: string, lived: number): void {
    if (lived > LIVED_WELL) crashes = 0
    const pause = Math.min(SHORTEST_PAUSE * 2 ** crashes, LONGEST_PAUSE)
    crashes += 1
    log.error(`worker ${id} has ended (${how}): another one starts in ${pause / 1000} s`)
    setTimeout(() => isStopping || start(), pause)
  }

  function signalAll(signal: NodeJS.Signals): void {
    for (const worker of alive) worker.process.kill(signal)
  }
}
