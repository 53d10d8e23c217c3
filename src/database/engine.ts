import type { CompiledQuery, Kysely, RawBuilder, SqlBool, Transaction } from 'kysely'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Tables } from './tables.ts'

export type Query = Kysely<Tables>
export type Tx = Transaction<Tables>

export interface StatementOptions {
  /** The number of arguments, for a query builder with rest parameters. */
  arity?: number
  /**
   * The engines on which this write has relaxed durability: it does not wait for the fsync of the WAL, so a power cut
   * may undo it. On PostgreSQL, its `synchronous_commit` is off.
   */
  relaxedDurability?: readonly EngineName[]
}

type EngineName = 'sqlite' | 'postgres'

/** `busy` and `idle` are connections. `waiting` are callers without a connection. */
type ConnectionState = 'busy' | 'idle' | 'waiting'

/** The differences between SQLite and PostgreSQL. */
export interface Engine {
  name: EngineName
  query: Query
  /** The time by the database's clock, in milliseconds. Lifetimes are compared with it, so that all instances agree. */
  now: RawBuilder<number>
  /** Whether the column equals one of the strings in a JSON array. The SQL text is the same for any number of them. */
  isAmong(column: string, texts: RawBuilder<string>): RawBuilder<SqlBool>
  /** The entries of a JSON object as rows (`key`, `value`). The SQL text is the same for any number of entries. */
  jsonEntries(object: RawBuilder<string>): RawBuilder<unknown>
  /** Returns a function that runs the compiled query. On SQLite it returns rows without a promise where it can. */
  prepare(compiled: CompiledQuery, options?: StatementOptions): (values: unknown[]) => MaybePromise<unknown[]>
  /** The connections of this process to PostgreSQL, and the callers that wait for one. Undefined on SQLite. */
  connections?(): Record<ConnectionState, number>
  /**
   * Whether PostgreSQL accepts writes: after a failover it may be read-only. True on SQLite (see `throwIfFsyncFailed`).
   */
  isWritable: RawBuilder<SqlBool>
  isUniqueViolation(error: unknown): boolean
  /** The database is unreachable, out of space or too busy. The client may retry later. */
  isUnavailable(error: unknown): boolean
  /** On SQLite, throws once an fsync has failed: writes are refused until a restart. Does nothing on PostgreSQL. */
  throwIfFsyncFailed(): void
  /** On SQLite, removes deleted content from the WAL file. Does nothing on PostgreSQL. */
  eraseDeletedContent(): Promise<void>
  close(): Promise<void>
}
