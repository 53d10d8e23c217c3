import { sql } from 'kysely'
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import { openForReading, type ReadOnlyDatabase } from '../database/read-only.ts'
import type { Log } from '../logging/log.ts'
import { type Check, fault, type Observation, ok, warning } from './finding.ts'
import { observePostgres } from './postgres.ts'

// `pragma quick_check` reads the whole file and cannot be interrupted.
const MAX_CHECKED_BYTES = 256e6

/** Opens the database for all checks. The observations tell why it could not be opened, or name a pooler's faults. */
export async function openDatabaseToExamine(
  config: Config['database'],
  limitMs: number,
  redact: (text: string) => string,
): Promise<{ database: ReadOnlyDatabase | undefined; observations: Observation[] }> {
  const observations: Observation[] = []
  const log = {
    info() {},
    error() {},
    warn: (message: unknown) => {
      if (typeof message === 'string')
        observations.push(warning(message, 'See "PostgreSQL and several instances" in the documentation.'))
    },
  } as unknown as Log
  try {
    const timeoutMs = Math.min(config.timeoutMs, limitMs)
    return { database: await openForReading({ ...config, timeoutMs }, log), observations }
  } catch (error) {
    return { database: undefined, observations: [explain(error as Error, config, redact)] }
  }
}

export const checkDatabase: Check = async ({ database, config }) => {
  if (!database) return []
  return database.name === 'postgres' ? observePostgres(database, config.workers) : observeSqlite(database)
}

async function observeSqlite({ query }: ReadOnlyDatabase): Promise<Observation[]> {
  const { rows } = await sql<{ bytes: number }>`select page_count * page_size as bytes
    from pragma_page_count, pragma_page_size`.execute(query)
  const version = `SQLite ${process.versions.sqlite}`
  if ((rows[0]?.bytes ?? 0) > MAX_CHECKED_BYTES) return [ok(`${version}; too large to be checked quickly`)]
  // A file that is damaged badly makes the pragma itself fail.
  const problem = await sql<{ quick_check: string }>`pragma quick_check(1)`
    .execute(query)
    .then(({ rows }) => rows[0]?.quick_check, String)
  return problem === 'ok' ? [ok(`${version}, no damage found`)] : [damaged(String(problem))]
}

function damaged(problem: string): Observation {
  return fault(
    `the SQLite file is damaged: ${problem}`,
    'Stop the service and restore a backup. Keep the damaged files.',
  )
}

function explain(
  error: Error & { code?: string; address?: string; port?: number },
  config: Config['database'],
  redact: (text: string) => string,
) {
  const { code = '', message } = error
  if (error instanceof ConfigError) return fault(error.faults.join('; '), 'Change the settings of the pooler.')
  if (config.engine === 'sqlite') {
    return /not a database|malformed/.test(message)
      ? damaged(message)
      : fault(
          `${config.file} cannot be opened: ${message}`,
          'Check DATA_DIR or DATABASE_URL, and the modes of the files.',
        )
  }
  const { host } = new URL(config.url)
  const remedies: Record<string, string> = {
    ENOTFOUND: 'Correct the host in DATABASE_URL, or the DNS of this machine.',
    ECONNREFUSED: 'Start PostgreSQL, or correct host and port in DATABASE_URL.',
    '28P01': 'Correct user name and password in DATABASE_URL.',
    '28000': 'Correct the user name in DATABASE_URL, or allow the connection in pg_hba.conf.',
    '3D000': 'Create the database with createdb, or correct its name in DATABASE_URL.',
    '53300': 'Raise max_connections, or run fewer instances or WORKERS.',
  }
  const remedy = remedies[code] ?? 'Is PostgreSQL up, does DATABASE_URL lead to it, and does a firewall let it through?'
  return fault(`no connection to PostgreSQL at ${host}: ${redact(message) || code}`, remedy)
}
