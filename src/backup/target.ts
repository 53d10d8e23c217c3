import type { Tx } from '../database/engine.ts'
import type { Table } from '../database/schema.ts'
import type { Row } from './format.ts'

/** A database that a backup is restored to. */
export interface Target {
  /** Runs all of the restore. No other process can change the schema or the rows meanwhile, or see what was written. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** The names among these for which there is a table. Makes other transactions wait that would use them. */
  lockTables(tx: Tx, names: readonly string[]): Promise<string[]>
  /**
   * Fills the tables, and builds their indexes afterwards from sorted keys. An index that grew with each row would be
   * written many times when it is larger than the cache.
   */
  withoutIndexes(tx: Tx, tables: readonly Table[], fill: () => Promise<unknown>): Promise<void>
  insert(tx: Tx, table: Table, rows: Row[]): Promise<void>
  /** Throws if the database is not consistent. */
  check(tx: Tx): Promise<void>
  close(): Promise<void>
}

export function columnList({ columns }: Table): string {
  return columns.map(({ name }) => `"${name}"`).join(', ')
}
