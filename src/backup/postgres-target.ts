import { CompiledQuery, sql } from 'kysely'
import { lockSchema, openWithoutTimeouts } from '../database/postgres.ts'
import type { Column } from '../database/schema.ts'
import type { Log } from '../logging/log.ts'
import { columnList, type Target } from './target.ts'

const ARRAY_TYPES: Record<Column['type'], string> = { text: 'text[]', integer: 'bigint[]', binary: 'bytea[]' }

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
    /** One array for each column: the text of the statement is the same for any number of rows. */
    async insert(tx, table, rows) {
      const arrays = table.columns.map(({ type }, place) => `$${place + 1}::${ARRAY_TYPES[type]}`)
      const values = table.columns.map((_column, place) => rows.map((row) => row[place]))
      const text = `insert into "${table.name}" (${columnList(table)}) select * from unnest(${arrays.join(', ')})`
      await tx.executeQuery(CompiledQuery.raw(text, values))
    },
    /** Foreign keys were checked by the inserts. The planner needs statistics of the new rows. */
    async check(tx) {
      await sql`analyze`.execute(tx)
    },
    close: () => query.destroy(),
  }
}
