import { loadConfig } from '../config/config.ts'
import { createLog } from '../logging/log.ts'
import { explained } from './start-failure.ts'

/** One process serves, or several under a primary one that only looks after them: see WORKERS. */
export const serve = explained(async () => {
  const config = loadConfig()
  const { default: cluster } = config.workers > 1 ? await import('node:cluster') : {}
  const worker = cluster?.worker?.id
  const log = createLog(config, worker)
  // Node then ends the process with exit code 1, also for a rejected promise that nobody handles.
  process.on('uncaughtExceptionMonitor', (error) => log.error({ err: error }, 'uncaught exception: the process ends'))
  if (cluster?.isPrimary) {
    const { startWorkers } = await import('./workers.ts')
    return startWorkers(config, log)
  }
  const { startInstance } = await import('./instance.ts')
  return startInstance(config, log, { isFirst: worker === undefined || worker === 1 })
})
