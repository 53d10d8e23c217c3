import type { Database } from '../database/database.ts'
import type { Log } from '../logging/log.ts'
import type { Routes } from './routes.ts'

/**
 * Liveness and readiness for process managers and load balancers. `unready` returns the reason why the process must
 * get no traffic: it is starting or draining.
 */
export function reportHealth(app: Routes, database: Database, log: Log, unready: () => string | undefined): void {
  const ping = database.prepare((query) => query.selectNoFrom(database.isWritable.as('is_writable')))

  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (request, reply) => {
    const reason = unready()
    if (reason) return reply.code(503).send({ status: reason })
    try {
      database.throwIfFsyncFailed()
      const [state] = await ping()
      return state?.is_writable ? { status: 'ready' } : reply.code(503).send({ status: 'database read-only' })
    } catch (error) {
      log.warn({ ...request.logFields, err: error }, 'not ready: the database does not respond, or its disk has failed')
      return reply.code(503).send({ status: 'database unavailable' })
    }
  })
}
