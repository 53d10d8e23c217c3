import { loadConfig } from '../config/config.ts'
import { createLog } from '../logging/log.ts'

/**
 * Serves in this process or, with WORKERS above 1, in worker processes that this primary process starts and replaces.
 */
export async function serve(): Promise<void> {
  const config = loadConfig()
  const { default: cluster } = config.workers > 1 ? await import('node:cluster') : {}
  const worker = cluster?.worker?.id
  const log = createLog(config, worker)
  // Node ends the process with exit code 1 after this listener, for unhandled rejections too.
  process.on('uncaughtExceptionMonitor', (error) => log.error({ err: error }, 'uncaught exception: the process ends'))
  if (cluster?.isPrimary) {
    const { startWorkers } = await import('./workers.ts')
    return startWorkers(config, log)
  }
  const { startInstance } = await import('./instance.ts')
  return startInstance(config, log, worker)
}
