import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config/config.ts'
import { tcpListener } from '../../src/http/listener.ts'
import { assemble } from '../../src/portico.ts'
import { logTo } from './log-to.ts'
import { type EngineName, freshDatabase, withDatabaseTimeout } from './service.ts'
import { HOME } from './sign-in-provider.ts'

/** A service with these settings, and every word that it logs. */
export async function startLoggedSignIns(engine: EngineName, settings: Record<string, string>) {
  const lines: string[] = []
  const database = await freshDatabase(engine)
  const log = logTo((line) => lines.push(line), { logLevel: 'debug' })
  const CONTENT_DIR = join(database.env.DATA_DIR ?? '', 'content')
  const config = readConfig({ BASE_URL: HOME, CONTENT_DIR, ...database.env, ...settings })
  const portico = await assemble(withDatabaseTimeout(config), log)
  const { server } = createApp(portico)
  await server.listen(tcpListener({ host: '127.0.0.1', port: 0 }))
  return {
    url: `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    lines,
    async close() {
      try {
        await server.close()
        await portico.close()
      } finally {
        await database.drop()
      }
    },
  }
}
