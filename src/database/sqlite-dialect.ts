import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  SqliteAdapter,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
} from 'kysely'
import { Line, untilFree } from './sqlite-waiting.ts'

/** How long a statement waits for the processes that share the file; whoever made the dialect may change it. */
export interface Patience {
  milliseconds: number
}

/** Kysely on node:sqlite, with one connection that everybody in the process takes turns with. */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig
  readonly #patience: Patience

  constructor(database: DatabaseSync, patience: Patience) {
    const config = { database: shapedForKysely(database) }
    super(config)
    this.#config = config
    this.#patience = patience
  }

  override createDriver() {
    return new PatientDriver(this.#config, this.#patience)
  }

  override createAdapter() {
    return new Adapter()
  }
}

class PatientDriver extends SqliteDriver {
  readonly #patience: Patience
  readonly #line = new Line()
  #leave = () => {}

  constructor(config: SqliteDialectConfig, patience: Patience) {
    super(config)
    this.#patience = patience
  }

  /** Patience counts from here: those who queue behind one that waits in vain give up with it, not one after the other. */
  override async acquireConnection(): Promise<DatabaseConnection> {
    const giveUpAt = performance.now() + this.#patience.milliseconds
    this.#leave = await this.#line.enter()
    return patient(await super.acquireConnection(), giveUpAt)
  }

  override async releaseConnection(): Promise<void> {
    this.#leave()
  }

  /** Takes the write lock when a transaction begins, so that a read inside it cannot go stale before the write. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  /** A full disk makes SQLite roll back by itself; what went wrong must not be hidden by there being nothing to undo. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.rollbackTransaction(connection)
    } catch (error) {
      if (!/no transaction is active/.test(String(error))) throw error
    }
  }
}

function patient(connection: DatabaseConnection, giveUpAt: number): DatabaseConnection {
  return {
    executeQuery: (query) => untilFree(() => connection.executeQuery(query), giveUpAt),
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  }
}

class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true
  }

  /** Not that there were several: the driver itself sees to turns. */
  override get supportsMultipleConnections() {
    return true
  }
}

function shapedForKysely(database: DatabaseSync): SqliteDialectConfig['database'] {
  const statement = statements(database)
  return {
    close: () => database.close(),
    prepare(text) {
      const prepared = statement(text)
      return {
        reader: prepared.columns().length > 0,
        all: (values) => prepared.all(...(values as SQLInputValue[])),
        run: (values) => prepared.run(...(values as SQLInputValue[])),
        iterate: (values) => prepared.iterate(...(values as SQLInputValue[])),
      }
    },
  }
}

/** Each SQL text is compiled once and kept; texts that vary without end cannot fill the memory. */
function statements(database: DatabaseSync): (text: string) => StatementSync {
  const kept = new Map<string, StatementSync>()
  return (text) => {
    let statement = kept.get(text)
    if (!statement) {
      if (kept.size >= 500) kept.clear()
      statement = database.prepare(text)
      kept.set(text, statement)
    }
    return statement
  }
}
