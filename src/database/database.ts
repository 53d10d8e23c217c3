import type { Compilable } from 'kysely'
import type { Config } from '../config/config.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Log } from '../logging/log.ts'
import type { Engine, Query, StatementOptions, Tx } from './engine.ts'
import { type Arg, argumentsOf, inlineNumbers, type Values } from './prepared.ts'

export interface Database extends Omit<Engine, 'prepare'> {
  /**
   * Compiles a query once; the result runs it with new values and never builds it again. It must name its columns:
   * `select *` becomes another query when a newer instance adds one, and PostgreSQL then refuses to run it.
   */
  prepare<Args extends Arg<unknown>[], Row>(
    build: (query: Query, ...args: Args) => Compilable<Row>,
    care?: StatementOptions,
  ): (...values: Values<Args>) => MaybePromise<Row[]>
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Runs `then` when the transaction has committed, and not at all when it rolls back. */
  afterCommit(tx: Tx, then: () => void): void
}

/** Opens the database and brings its schema up to date. */
export async function openDatabase(config: Config['database'], log: Log): Promise<Database> {
  const engine = await openEngine(config, log)
  const committed = new WeakMap<Tx, (() => void)[]>()
  return {
    ...engine,
    prepare<Args extends Arg<unknown>[], Row>(
      build: (query: Query, ...args: Args) => Compilable<Row>,
      care?: StatementOptions,
    ) {
      const { placeholders, bind } = argumentsOf(care?.arity ?? build.length - 1)
      const compiled = build(engine.query.withPlugin(inlineNumbers), ...(placeholders as Args)).compile()
      if (/\*(?= from)|returning \*/.test(compiled.sql)) throw new Error(`name the columns: ${compiled.sql}`)
      const run = engine.prepare(compiled, care)
      return (...values: Values<Args>) => run(bind(compiled, values)) as MaybePromise<Row[]>
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

/** Only the engine in use is loaded. */
async function openEngine(config: Config['database'], log: Log): Promise<Engine> {
  if (config.engine === 'sqlite') return (await import('./sqlite.ts')).openSqlite(config.file)
  return (await import('./postgres.ts')).openPostgres(config.url, log)
}
