import { type Compilable, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Config } from '../config/config.ts'
import { batched } from '../lib/batched.ts'
import { chain, type MaybePromise } from '../lib/maybe-promise.ts'
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
  /**
   * Compiles a lookup of one row by a unique text, and returns a function that runs it. The query selects the text as
   * `key`, and has the condition `hasKey(column)`. On PostgreSQL, one statement looks up the keys of all requests that
   * arrive in the same iteration of the event loop: round trips cost more than rows. One key that PostgreSQL refuses,
   * such as one with a NUL, fails the lookup of the others too, so a key is never a text of a client.
   */
  prepareLookup<Row extends { key: string }>(
    build: (query: Query, hasKey: (column: string) => RawBuilder<SqlBool>) => Compilable<Row>,
  ): (key: string) => MaybePromise<Row | undefined>
  /** Resolves when the commit is durable. Rolls back and rejects when `work` rejects. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Calls the function once the commit is durable. It is not called when the transaction rolls back. Throws for a
   * transaction that `transaction` did not begin.
   */
  afterCommit(tx: Tx, callback: () => void): void
}

// The rows of so many keys take about a millisecond of the event loop.
const MAX_KEYS_PER_LOOKUP = 100

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
    prepare,
    prepareLookup<Row extends { key: string }>(
      build: (query: Query, hasKey: (column: string) => RawBuilder<SqlBool>) => Compilable<Row>,
    ) {
      if (engine.name === 'sqlite') {
        const find = prepare((query, key: Arg<string>) => build(query, (column) => sql`${sql.ref(column)} = ${key}`))
        return (key: string) => chain(find(key), ([row]) => row)
      }
      const find = prepare((query, keys: Arg<string>) => build(query, (column) => engine.isAmong(column, keys)))
      return batched(
        async (keys) => new Map((await find(JSON.stringify(keys))).map((row) => [row.key, row])),
        MAX_KEYS_PER_LOOKUP,
      )
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

  function prepare<Args extends Arg<unknown>[], Row>(
    build: (query: Query, ...args: Args) => Compilable<Row>,
    options?: StatementOptions,
  ) {
    const { placeholders, bind } = argumentsOf(options?.arity ?? build.length - 1)
    const compiled = build(engine.query.withPlugin(inlineNumbers), ...(placeholders as Args)).compile()
    if (returnsAllColumns(compiled.sql)) throw new Error(`name the columns: ${compiled.sql}`)
    const run = engine.prepare(compiled, options)
    return (...values: Values<Args>) => run(bind(compiled, values)) as MaybePromise<Row[]>
  }
}

/** Imports the configured engine only. */
async function openEngine(config: Config['database'], log: Log, options: OpenOptions): Promise<Engine> {
  if (config.engine === 'sqlite') {
    return (await import('./sqlite.ts')).openSqlite(config.file, config.timeoutMs, options)
  }
  return (await import('./postgres.ts')).openPostgres(config.url, config.timeoutMs, log, options)
}
