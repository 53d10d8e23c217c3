import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Database } from '../databases/database.ts'
import { type Place, type Server, startServer } from '../measure/server.ts'

/** The issuer of tokens, at whichever port the process listens. */
export const BASE_URL = 'http://localhost:3000'

/** Turns on the features that the other works turn off. The log goes to a pipe. */
export const AS_DEPLOYED = { RATE_LIMITS: 'on', LOG_LEVEL: 'info' }

/**
 * Portico as in production, except for the rate limits, which would refuse the load, and the request log, which no
 * contender writes. No work sends mail, so there is no mail server.
 */
export function startPortico(
  database: Database,
  settings: Record<string, string> = {},
  place?: Place,
): Promise<Server> {
  const entry = join(database.checkout ?? '', database.entry ?? 'src/main.js')
  return startServer(entry, { ...settingsFor(database), ...settings }, place)
}

export function settingsFor({ env }: Database): Record<string, string> {
  return {
    BASE_URL,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
    SMTP_URL: 'smtp://127.0.0.1:9',
    CONTENT_DIR: fileURLToPath(new URL('../../content', import.meta.url)),
    ...env,
  }
}
