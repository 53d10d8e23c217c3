import type { Table } from '../database/schema.ts'
import type { Batches } from './encode.ts'
import type { Header } from './format.ts'

/** A database at one moment. Later writes are not visible in it. */
export interface Source {
  engine: Header['engine']
  /** The migrations that have run, in their order. */
  migrations: string[]
  rowsOf(table: Table): Batches
  close(): Promise<void>
}

export const READ_MIGRATIONS = 'select name from kysely_migration order by name'

/** A statement that reads all rows of a table. The names are those of the schema. */
export function selectAll({ name, columns }: Table): string {
  return `select ${columns.map((column) => `"${column.name}"`).join(', ')} from "${name}"`
}

/** The number of rows that are in memory at once. Rows with bytes, which are pictures, are much longer than others. */
export function batchSizeOf({ columns }: Table): number {
  return columns.some(({ type }) => type === 'binary') ? 20 : 500
}
