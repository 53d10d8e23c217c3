import { before, describe } from 'node:test'
import { cleanUp, suiteCleanUp } from './clean-up.ts'
import { ENGINES, type EngineName, type Service, startService } from './service.ts'

/**
 * Runs the same tests against a service on SQLite and against one on PostgreSQL. `service` is a stand-in that the
 * tests may close over: it becomes the running service before the first of them starts.
 */
export function onBothEngines(
  facts: (service: Service, engine: EngineName) => void,
  settings: Record<string, string> = {},
): void {
  for (const engine of ENGINES) {
    describe(`on ${engine}`, () => {
      const service = {} as Service
      const suite = suiteCleanUp()
      before(async () => {
        Object.assign(service, await startService(engine, settings))
        cleanUp(suite, () => service.close())
      })
      facts(service, engine)
    })
  }
}
