import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { assemble } from '../../src/portico.ts'
import { type EngineName, freshDatabase } from './service.ts'

/** A service that keeps what it logs. */
export async function startLoggedService(engine: EngineName) {
  const lines: Record<string, unknown>[] = []
  const database = await freshDatabase(engine)
  const log = pino({ messageKey: 'message' }, { write: (line) => lines.push(JSON.parse(line)) })
  const portico = await assemble(readConfig(database.env), log)
  const { server } = await createApp(portico)
  await server.listen({ host: '127.0.0.1', port: 0 })
  return {
    url: `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    portico,
    lines,
    async close() {
      await server.close()
      await portico.close()
      await database.drop()
    },
  }
}
