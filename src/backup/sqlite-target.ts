import { CompiledQuery, sql } from 'kysely'
import type { Tx } from '../database/engine.ts'
import type { Table } from '../database/schema.ts'
import { openSqlite } from '../database/sqlite.ts'
import { isBusy } from '../database/sqlite-errors.ts'
import { BackupError } from './backup-error.ts'
import type { Row } from './format.ts'
import { columnList, type Target } from './target.ts'

const ROWS_PER_STATEMENT = 50
// Rows arrive in any order of their primary keys. A cache that has the index of the keys saves writing its pages again
// and again. The cache grows as it is needed.
const FILLING_CACHE_KIB = 256 * 1024
// The sorter of `create index` takes as much memory as the cache.
const SORTING_CACHE_KIB = 64 * 1024

export async function openSqliteTarget(file: string, busyTimeoutMs: number): Promise<Target> {
  const engine = await openSqlite(file, busyTimeoutMs, { migrates: false })
  return {
    // A transaction has the write lock of the whole file, and readers see the file as it was before.
    transaction: (work) =>
      engine.query
        .transaction()
        .execute(work)
        .catch((error) => {
          throw isBusy(error) ? new BackupError('The database is in use. Stop the service, and try again.') : error
        }),
    async lockTables(tx, names) {
      const { rows } = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(tx)
      return rows.map(({ name }) => name).filter((name) => names.includes(name))
    },
    async withoutIndexes(tx, tables, fill) {
      const names = tables.map(({ name }) => name)
      const { rows } = await sql<{ name: string; table: string; definition: string | null }>`
        select name, tbl_name as "table", sql as definition from sqlite_master where type = 'index'`.execute(tx)
      // The indexes of primary keys and unique columns have no definition. They cannot be dropped.
      const indexes = rows.filter(({ table, definition }) => definition !== null && names.includes(table))
      for (const { name } of indexes) await tx.schema.dropIndex(name).execute()
      await setCache(tx, FILLING_CACHE_KIB)
      // `check` looks at all foreign keys, and says what is wrong.
      await sql`pragma defer_foreign_keys = on`.execute(tx)
      await fill()
      await setCache(tx, SORTING_CACHE_KIB)
      for (const { definition } of indexes) await tx.executeQuery(CompiledQuery.raw(definition ?? ''))
    },
    async insert(tx, table, rows) {
      let at = 0
      for (; at + ROWS_PER_STATEMENT <= rows.length; at += ROWS_PER_STATEMENT) {
        await insertTogether(tx, table, rows.slice(at, at + ROWS_PER_STATEMENT))
      }
      for (const row of rows.slice(at)) await insertTogether(tx, table, [row])
    },
    async check(tx) {
      const { rows: orphans } = await sql`pragma foreign_key_check`.execute(tx)
      if (orphans.length > 0) throw new BackupError('Rows of the backup refer to accounts that it does not have.')
      // `integrity_check` would also look up each row in each index, which SQLite has just built from the rows. With a
      // million accounts that takes minutes.
      const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(tx)
      const [{ quick_check: finding } = { quick_check: 'no result' }] = rows
      if (finding !== 'ok') throw new BackupError(`The restored database is damaged: ${finding}`)
    },
    close: () => engine.close(),
  }
}

/** The text of the statement is the same for every call with as many rows, so that it is prepared once. */
async function insertTogether(tx: Tx, table: Table, rows: Row[]): Promise<void> {
  const placeholders = `(${table.columns.map(() => '?').join(', ')})`
  const values = rows.map(() => placeholders).join(', ')
  const text = `insert into "${table.name}" (${columnList(table)}) values ${values}`
  await tx.executeQuery(CompiledQuery.raw(text, rows.flat()))
}

/** A negative number is a size in KiB (https://www.sqlite.org/pragma.html#pragma_cache_size). */
async function setCache(tx: Tx, kib: number): Promise<void> {
  await sql`pragma cache_size = ${sql.lit(-kib)}`.execute(tx)
}
