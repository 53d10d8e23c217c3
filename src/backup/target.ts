import type { Config } from '../config/config.ts'
import type { Tx } from '../database/engine.ts'
import type { Table } from '../database/schema.ts'
import type { Log } from '../logging/log.ts'
import type { Row } from './format.ts'

/** A database that a backup is restored to. */
export interface Target {
  /** Runs all of the restore. No other process can change the schema or the rows meanwhile, or see what was written. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** The names among these for which there is a table. Makes other transactions wait that would use them. */
  lockTables(tx: Tx, names: readonly string[]): Promise<string[]>
  insert(tx: Tx, table: Table, rows: Row[]): Promise<void>
  /** Throws if the database is not consistent. */
  check(tx: Tx): Promise<void>
  close(): Promise<void>
}

export async function openTarget(config: Config['database'], log: Log): Promise<Target> {
  if (config.engine === 'sqlite') {
    return (await import('./sqlite-target.ts')).openSqliteTarget(config.file, config.timeoutMs)
  }
  return (await import('./postgres-target.ts')).openPostgresTarget(config.url, log)
}

export function columnList({ columns }: Table): string {
  return columns.map(({ name }) => `"${name}"`).join(', ')
}
