import type { FastifyBaseLogger } from 'fastify'
import type { Compilable, CompiledQuery, Kysely, RawBuilder, Transaction } from 'kysely'
import type { Config } from '../config.ts'
import { openPostgres } from './postgres.ts'
import { type Arg, argumentsOf, type Values } from './prepared.ts'
import { openSqlite } from './sqlite.ts'
import type { Tables } from './tables.ts'

export type Query = Kysely<Tables>
export type Tx = Transaction<Tables>

/** What the two engines do differently, and nothing else. */
export interface Engine {
  name: 'sqlite' | 'postgres'
  query: Query
  /** The database's clock in milliseconds: every lifetime is measured by it, so that instances agree. */
  now: RawBuilder<number>
  run(compiled: CompiledQuery, values: unknown[]): Promise<unknown[]> | unknown[]
  isUniqueViolation(error: unknown): boolean
  /** The database is out of reach, out of room or too busy: the caller may try again later. */
  isUnavailable(error: unknown): boolean
  /** Makes deleted content unreadable in the files too. */
  scrub(): Promise<void>
  close(): Promise<void>
}

export interface Database extends Omit<Engine, 'run'> {
  /** Compiles a query once; the result runs it with new values and never builds it again. */
  prepare<Args extends Arg<unknown>[], Row>(
    build: (query: Query, ...args: Args) => Compilable<Row>,
  ): (...values: Values<Args>) => Promise<Row[]>
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Runs `then` when the transaction has committed, and not at all when it rolls back. */
  afterCommit(tx: Tx, then: () => void): void
}

/** Opens the database and brings its schema up to date. */
export async function openDatabase(config: Config['database'], log: FastifyBaseLogger): Promise<Database> {
  const engine = await (config.engine === 'sqlite' ? openSqlite(config.file) : openPostgres(config.url, log))
  const committed = new WeakMap<Tx, (() => void)[]>()
  return {
    ...engine,
    prepare<Args extends Arg<unknown>[], Row>(build: (query: Query, ...args: Args) => Compilable<Row>) {
      const { placeholders, bind } = argumentsOf(build.length - 1)
      const compiled = build(engine.query, ...(placeholders as Args)).compile()
      return async (...values: Values<Args>) => (await engine.run(compiled, bind(compiled, values))) as Row[]
    },
    async transaction(work) {
      const callbacks: (() => void)[] = []
      const result = await engine.query.transaction().execute((tx) => {
        committed.set(tx, callbacks)
        return work(tx)
      })
      for (const callback of callbacks) callback()
      return result
    },
    afterCommit(tx, then) {
      committed.get(tx)?.push(then)
    },
  }
}
