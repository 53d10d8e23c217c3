import type { CompiledQuery, Kysely, RawBuilder, SqlBool, Transaction } from 'kysely'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Tables } from './tables.ts'

export type Query = Kysely<Tables>
export type Tx = Transaction<Tables>

export interface StatementOptions {
  /** How many arguments the query takes, where it is built for any number of them. */
  arity?: number
  /** A write that a power cut may undo. For those, SQLite does not wait until the disk has them. */
  hasRelaxedDurability?: boolean
  /** A write that a crash of the server may undo: PostgreSQL does not wait for its WAL flush (`synchronous_commit = off`). */
  skipsWalFlush?: boolean
}

/** What the two engines do differently, and nothing else. */
export interface Engine {
  name: 'sqlite' | 'postgres'
  query: Query
  /** The database's clock in milliseconds: every lifetime is measured by it, so that instances agree. */
  now: RawBuilder<number>
  /** Whether a column is one of the texts that are given as a list in JSON: however many, the statement is the same. */
  isAmong(column: string, texts: RawBuilder<string>): RawBuilder<SqlBool>
  /** The entries of a JSON object as rows with the columns `key` and `value`: however many, the statement is the same. */
  jsonEntries(object: RawBuilder<string>): RawBuilder<unknown>
  /** Makes ready what is run often; a result that is there at once is given at once. */
  prepare(compiled: CompiledQuery, care?: StatementOptions): (values: unknown[]) => MaybePromise<unknown[]>
  /** Whether the server takes writes. After a failover it may be read-only. A failed disk of SQLite is told by `checkDisk`. */
  isWritable: RawBuilder<SqlBool>
  isUniqueViolation(error: unknown): boolean
  /** The database is out of reach, out of room or too busy: the caller may try again later. */
  isUnavailable(error: unknown): boolean
  /** Throws when the disk below has failed, and nothing is written until a restart. Another server's disk is its own business. */
  checkDisk(): void
  /** Makes deleted content unreadable in the files too. */
  scrub(): Promise<void>
  close(): Promise<void>
}
