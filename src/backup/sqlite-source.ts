import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { BackupError } from './backup-error.ts'
import type { Row } from './format.ts'
import { batchSizeOf, READ_MIGRATIONS, type Source, selectAll } from './source.ts'

// More pages than a database can have. A backup in several steps begins again whenever another process has written
// between two of them (https://www.sqlite.org/backup.html), and might never end beside a busy service.
const ALL_PAGES = 2 ** 31 - 1

/**
 * Copies the database with SQLite's backup API, and reads from the copy. In WAL mode the step that copies is a reader:
 * it sees the last commit before it, and writers go on. It runs on a thread of libuv's pool.
 */
export async function openSqliteSource(file: string, workspace: string): Promise<Source> {
  if (!existsSync(file)) throw new BackupError(`There is no database: ${file} does not exist.`)
  const copy = join(workspace, 'copy.db')
  closeSync(openSync(copy, 'wx', 0o600))
  const live = new DatabaseSync(file, { readOnly: true })
  try {
    await backup(live, copy, { rate: ALL_PAGES })
  } finally {
    live.close()
  }
  const connection = new DatabaseSync(copy, { readOnly: true })
  return {
    engine: 'sqlite',
    migrations: migrationsIn(connection),
    *rowsOf(table) {
      const statement = connection.prepare(selectAll(table))
      statement.setReturnArrays(true)
      const size = batchSizeOf(table)
      let batch: Row[] = []
      for (const row of statement.iterate() as Iterable<unknown> as Iterable<Row>) {
        if (batch.push(row) < size) continue
        yield batch
        batch = []
      }
      if (batch.length > 0) yield batch
    },
    async close() {
      connection.close()
    },
  }
}

function migrationsIn(connection: DatabaseSync): string[] {
  const exists = connection.prepare("select 1 from sqlite_master where name = 'kysely_migration'").get()
  if (!exists) return []
  return connection
    .prepare(READ_MIGRATIONS)
    .all()
    .map(({ name }) => String(name))
}
