import type { Config } from '../config/config.ts'
import type { Log } from '../logging/log.ts'
import type { Source } from './source.ts'
import type { Target } from './target.ts'

/** Opens the database for a backup. `workspace` is a folder for temporary files, which the caller deletes. */
export async function openSource(config: Config['database'], workspace: string): Promise<Source> {
  if (config.engine === 'sqlite') {
    return (await import('./sqlite-source.ts')).openSqliteSource(config.file, workspace)
  }
  return (await import('./postgres-source.ts')).openPostgresSource(config.url)
}

/** Opens the database for a restore. On SQLite, creates the file if there is none. */
export async function openTarget(config: Config['database'], log: Log): Promise<Target> {
  if (config.engine === 'sqlite') {
    return (await import('./sqlite-target.ts')).openSqliteTarget(config.file, config.timeoutMs)
  }
  return (await import('./postgres-target.ts')).openPostgresTarget(config.url, log)
}
