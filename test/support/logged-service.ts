import { logTo } from './log-to.ts'
import { type EngineName, freshDatabase, startOn } from './service.ts'

/** A service that keeps what it logs. */
export async function startLoggedService(engine: EngineName, settings: Record<string, string> = {}) {
  const lines: Record<string, unknown>[] = []
  const database = await freshDatabase(engine)
  const log = logTo((line) => lines.push(JSON.parse(line)))
  const service = await startOn({ ...database.env, ...settings }, { log })
  return {
    ...service,
    lines,
    async close() {
      try {
        await service.close()
      } finally {
        await database.drop()
      }
    },
  }
}
