import type { Compilable } from 'kysely'
import type { Config } from '../config/config.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Log } from '../logging/log.ts'
import type { Engine, Query, StatementOptions, Tx } from './engine.ts'
import type { DatabaseObserver } from './observed.ts'
import { type Arg, argumentsOf, inlineNumbers, returnsAllColumns, type Values } from './prepared.ts'

export interface Database extends Omit<Engine, 'prepare'> {
  /**
   * Compiles a query to SQL once. The returned function runs it with the values of its arguments. The query must name
   * its columns: when a newer instance adds a column, PostgreSQL rejects a prepared `select *` ("cached plan must not
   * change result type").
   */
  prepare<Args extends Arg<unknown>[], Row>(
    build: (query: Query, ...args: Args) => Compilable<Row>,
    options?: StatementOptions,
  ): (...values: Values<Args>) => MaybePromise<Row[]>
  /** Resolves when the commit is durable. Rolls back and rejects when `work` rejects. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Calls the function once the commit is durable. It is not called when the transaction rolls back. Throws for a
   * transaction that `transaction` did not begin.
   */
  afterCommit(tx: Tx, callback: () => void): void
}

export interface OpenOptions {
  /** Whether missing migrations are run. True by default. */
  migrates?: boolean
  observer?: DatabaseObserver | undefined
}

/** Opens the database and runs the migrations that it lacks. */
export async function openDatabase(
  config: Config['database'],
  log: Log,
  { migrates = true, observer }: OpenOptions = {},
): Promise<Database> {
  const engine = await openEngine(config, log, { migrates, observer })
  const afterCommitCallbacks = new WeakMap<Tx, (() => void)[]>()
  return {
    ...engine,
    prepare<Args extends Arg<unknown>[], Row>(
      build: (query: Query, ...args: Args) => Compilable<Row>,
      options?: StatementOptions,
    ) {
      const { placeholders, bind } = argumentsOf(options?.arity ?? build.length - 1)
      const compiled = build(engine.query.withPlugin(inlineNumbers), ...(placeholders as Args)).compile()
      if (returnsAllColumns(compiled.sql)) throw new Error(`name the columns: ${compiled.sql}`)
      const run = engine.prepare(compiled, options)
      return (...values: Values<Args>) => run(bind(compiled, values)) as MaybePromise<Row[]>
    },
    async transaction(work) {
      const callbacks: (() => void)[] = []
      const result = await engine.query.transaction().execute((tx) => {
        afterCommitCallbacks.set(tx, callbacks)
        return work(tx)
      })
      for (const callback of callbacks) callback()
      return result
    },
    afterCommit(tx, callback) {
      const callbacks = afterCommitCallbacks.get(tx)
      if (!callbacks) throw new Error('only database.transaction calls functions after its commit')
      callbacks.push(callback)
    },
  }
}

/** Imports the configured engine only. */
async function openEngine(config: Config['database'], log: Log, options: OpenOptions): Promise<Engine> {
  if (config.engine === 'sqlite') {
    return (await import('./sqlite.ts')).openSqlite(config.file, config.timeoutMs, options)
  }
  return (await import('./postgres.ts')).openPostgres(config.url, config.timeoutMs, log, options)
}
