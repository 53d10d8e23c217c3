import { loadConfig } from './config.ts'
import { createLog } from './log.ts'
import { explained } from './start-failure.ts'

/** One process serves, or several under a primary one that only looks after them: see WORKERS. */
export const serve = explained(async () => {
  const config = loadConfig()
  const { default: cluster } = config.workers > 1 ? await import('node:cluster') : {}
  if (cluster?.isPrimary) {
    const { startWorkers } = await import('./workers.ts')
    return startWorkers(config, createLog(config))
  }
  const { startInstance } = await import('./instance.ts')
  const worker = cluster?.worker?.id
  return startInstance(config, createLog(config, worker), { isFirst: worker === undefined || worker === 1 })
})
