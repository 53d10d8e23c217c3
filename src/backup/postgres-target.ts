import { CompiledQuery, sql } from 'kysely'
import type { Tx } from '../database/engine.ts'
import { lockSchema, openWithoutTimeouts } from '../database/postgres.ts'
import type { Column } from '../database/schema.ts'
import type { Log } from '../logging/log.ts'
import { BackupError } from './backup-error.ts'
import { columnList, type Target } from './target.ts'

const ARRAY_TYPES: Record<Column['type'], string> = { text: 'text[]', integer: 'bigint[]', binary: 'bytea[]' }
// https://www.postgresql.org/docs/current/errcodes-appendix.html
const FOREIGN_KEY_VIOLATION = '23503'

export function openPostgresTarget(url: string, log: Log): Target {
  const query = openWithoutTimeouts(url, log)
  return {
    transaction: (work) =>
      query.transaction().execute(async (tx) => {
        await lockSchema(tx)
        return work(tx)
      }),
    async lockTables(tx, names) {
      const { rows } = await sql<{ name: string }>`
        select name from unnest(${[...names]}::text[]) as name where to_regclass(name) is not null`.execute(tx)
      const found = rows.map(({ name }) => name)
      for (const name of found) await sql`lock table ${sql.table(name)} in access exclusive mode`.execute(tx)
      return found
    },
    async withoutIndexes(tx, tables, fill) {
      const droppable = await droppableIn(
        tx,
        tables.map(({ name }) => name),
      )
      for (const { drop } of droppable) await tx.executeQuery(CompiledQuery.raw(drop))
      await fill()
      for (const { create } of droppable) await tx.executeQuery(CompiledQuery.raw(create)).catch(explainForeignKey)
    },
    /** One array for each column: the text of the statement is the same for any number of rows. */
    async insert(tx, table, rows) {
      const arrays = table.columns.map(({ type }, place) => `$${place + 1}::${ARRAY_TYPES[type]}`)
      const values = table.columns.map((_column, place) => rows.map((row) => row[place]))
      const text = `insert into "${table.name}" (${columnList(table)}) select * from unnest(${arrays.join(', ')})`
      await tx.executeQuery(CompiledQuery.raw(text, values))
    },
    /** Foreign keys were checked when they were added. The planner needs statistics of the new rows. */
    async check(tx) {
      await sql`analyze`.execute(tx)
    },
    close: () => query.destroy(),
  }
}

/** Statements that drop and create what slows inserts down: foreign keys, and indexes that belong to no constraint. */
async function droppableIn(tx: Tx, tables: string[]): Promise<{ drop: string; create: string }[]> {
  const { rows } = await sql<{ drop: string; create: string }>`
    select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as create
    from pg_index
    where indrelid = any(${tables}::regclass[])
      and not exists (select 1 from pg_constraint where conindid = indexrelid and contype <> 'f')
    union all
    select format('alter table %s drop constraint %I', conrelid::regclass, conname),
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
    from pg_constraint where contype = 'f' and conrelid = any(${tables}::regclass[])`.execute(tx)
  return rows
}

function explainForeignKey(error: unknown): never {
  if ((error as { code?: unknown }).code !== FOREIGN_KEY_VIOLATION) throw error
  throw new BackupError('Rows of the backup refer to accounts that it does not have.')
}
