import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Person } from './api.ts'
import type { EngineName } from './service.ts'
import { openPostgresDatabase, openSqliteFile, type SqlDatabase } from './sql-dump.ts'

export const FIXTURES = join(import.meta.dirname, '../fixtures/databases')

/** What a test needs to know about the database of a released version. */
export interface UpgradeFixture {
  /** In milliseconds since 1970. */
  madeAt: number
  baseUrl: string
  /** Has a password, a biography, a picture and a browser session. */
  ada: Person & { bio: string; avatar: string; cookie: string }
  /** Signs in through a provider. */
  grace: Person & { subject: string; provider: Record<string, string> }
  /** Has registered and not verified the address. The mail with the code waits in the outbox. */
  alan: { email: string; password: string }
}

/** The tags of all versions that have a fixture. */
export function releasedTags(): string[] {
  return [...new Set(readdirSync(FIXTURES).map((file) => file.replace(/\.(sqlite|postgres)\.\w+$/, '')))]
}

export const fixtureFile = (tag: string, engine: EngineName, kind: 'sql' | 'json') =>
  join(FIXTURES, `${tag}.${engine}.${kind}`)

/** The database of these settings, without Portico. */
export async function openRaw(env: Record<string, string>): Promise<SqlDatabase> {
  return env.DATABASE_URL
    ? openPostgresDatabase(env.DATABASE_URL)
    : openSqliteFile(join(env.DATA_DIR ?? '', 'portico.db'))
}
