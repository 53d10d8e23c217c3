import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config/config.ts'
import { openDatabase } from '../../src/database/database.ts'
import { createLog } from '../../src/logging/log.ts'

// Most tests begin with the database of a new site. They copy one, keys included: a start that runs all migrations takes
// 0.2 s longer on PostgreSQL.

/** The PostgreSQL database that the tests copy. */
export const NEW_SITE_TEMPLATE = 'new_site'

/** Makes the database that is copied. Called once for each server. */
export async function makePostgresTemplate(server: { url: string; createDatabase(name: string): Promise<void> }) {
  await server.createDatabase(NEW_SITE_TEMPLATE)
  await migrate({ DATABASE_URL: `${server.url}/${NEW_SITE_TEMPLATE}` })
}

async function migrate(env: Record<string, string>): Promise<void> {
  const config = readConfig({ NODE_ENV: 'test', LOG_LEVEL: 'silent', ...env })
  const database = await openDatabase(config.database, createLog(config))
  await database.close()
}

let sqliteFile: Promise<Buffer> | undefined

/** Writes the SQLite database of a new site into the folder. */
export async function copySqliteDatabase(folder: string): Promise<void> {
  sqliteFile ??= makeSqliteFile()
  await writeFile(join(folder, 'portico.db'), await sqliteFile)
}

async function makeSqliteFile(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-test-'))
  await migrate({ DATA_DIR: folder })
  const bytes = await readFile(join(folder, 'portico.db'))
  await rm(folder, { recursive: true })
  return bytes
}
