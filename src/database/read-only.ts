import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { Kysely } from 'kysely'
import type { Config } from '../config/config.ts'
import type { Log } from '../logging/log.ts'
import type { Engine } from './engine.ts'
import { SQLITE_NOW } from './sqlite.ts'
import { NodeSqliteDialect } from './sqlite-dialect.ts'
import { NO_GROUP_COMMIT } from './sqlite-group-commit.ts'
import type { Tables } from './tables.ts'

export type ReadOnlyDatabase = Pick<Engine, 'name' | 'query' | 'now' | 'close'>

/**
 * Opens the database for reading. Creates and migrates nothing. Undefined if there is no SQLite file. `log` gets the
 * warnings about a pooler in front of PostgreSQL.
 */
export async function openForReading(config: Config['database'], log: Log): Promise<ReadOnlyDatabase | undefined> {
  if (config.engine === 'postgres') {
    return (await import('./postgres.ts')).openPostgres(config.url, config.timeoutMs, log, { migrates: false })
  }
  return existsSync(config.file) ? openSqliteForReading(config.file, config.timeoutMs) : undefined
}

function openSqliteForReading(file: string, busyTimeoutMs: number): ReadOnlyDatabase {
  // A reader of a database in WAL mode creates the files -wal and -shm if they are missing, and a read-only connection
  // does not remove them. Without a -wal file no process has the database open, and `immutable` reads the file alone
  // (https://www.sqlite.org/wal.html#read_only_databases).
  const location = pathToFileURL(file)
  if (!existsSync(`${file}-wal`)) location.search = 'immutable=1'
  const connection = new DatabaseSync(location, { readOnly: true })
  // SQLite reads the file with the first statement. A file that is no database fails here.
  connection.prepare('select count(*) from sqlite_schema').get()
  const query = new Kysely<Tables>({ dialect: new NodeSqliteDialect(connection, () => busyTimeoutMs, NO_GROUP_COMMIT) })
  return {
    name: 'sqlite',
    query,
    now: SQLITE_NOW,
    close: () => query.destroy(),
  }
}
