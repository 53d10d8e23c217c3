import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type SelectModifierNode,
  SelectQueryNode,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  SqliteQueryCompiler,
  type SqliteStatement,
} from 'kysely'
import { BoundedCache } from '../bounded-cache.ts'
import type { Flush } from './sqlite-flush.ts'
import { Line, untilFree } from './sqlite-waiting.ts'

/** How long a statement waits for the processes that share the file; whoever made the dialect may change it. */
export interface Patience {
  milliseconds: number
}

/** Kysely on node:sqlite, with one connection that everybody in the process takes turns with. */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig
  readonly #patience: Patience
  readonly #flush: Flush

  constructor(database: DatabaseSync, patience: Patience, flush: Flush) {
    const config = { database: shapedForKysely(database) }
    super(config)
    this.#config = config
    this.#patience = patience
    this.#flush = flush
  }

  override createDriver() {
    return new PatientDriver(this.#config, this.#patience, this.#flush)
  }

  override createAdapter() {
    return new Adapter()
  }

  override createQueryCompiler() {
    return new Compiler()
  }
}

const ROLLBACK = 'rollback'

class PatientDriver extends SqliteDriver {
  readonly #patience: Patience
  readonly #flush: Flush
  readonly #line = new Line()
  #leave = () => {}
  #mustLast = false

  constructor(config: SqliteDialectConfig, patience: Patience, flush: Flush) {
    super(config)
    this.#patience = patience
    this.#flush = flush
  }

  /** Patience counts from here: those who queue behind one that waits in vain give up with it, not one after the other. */
  override async acquireConnection(): Promise<DatabaseConnection> {
    const giveUpAt = performance.now() + this.#patience.milliseconds
    this.#leave = await this.#line.enter()
    this.#mustLast = false
    const connection = await super.acquireConnection()
    return {
      executeQuery: async (query) => {
        if (!SelectQueryNode.is(query.query)) {
          this.#mustLast = true
          if (query.sql !== ROLLBACK) this.#flush.check()
        }
        return untilFree(() => connection.executeQuery(query), giveUpAt)
      },
      streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
    }
  }

  /**
   * The next one may go on at once; whoever wrote is told when the disk has it. So is every transaction, since what it
   * found may have been written by one that still waits.
   */
  override async releaseConnection(): Promise<void> {
    const mustLast = this.#mustLast
    this.#leave()
    if (mustLast) await this.#flush()
  }

  /** Takes the write lock when a transaction begins, so that a read inside it cannot go stale before the write. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  /** A full disk makes SQLite roll back by itself; what went wrong must not be hidden by there being nothing to undo. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await connection.executeQuery(CompiledQuery.raw(ROLLBACK))
    } catch (error) {
      if (!/no transaction is active/.test(String(error))) throw error
    }
    this.#mustLast = false
  }
}

/** A transaction holds the whole file from its beginning, so there is no row to lock, nor a word for it. */
class Compiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier !== 'ForNoKeyUpdate') super.visitSelectModifier(node)
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

function shapedForKysely(database: DatabaseSync): SqliteDatabase {
  return { close: () => database.close(), prepare: keeping((text) => shaped(database.prepare(text))) }
}

function shaped(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (values) => statement.all(...(values as SQLInputValue[])),
    run: (values) => statement.run(...(values as SQLInputValue[])),
    iterate: (values) => statement.iterate(...(values as SQLInputValue[])),
  }
}

// Room for about 500 statements of common length.
const STATEMENT_CACHE_BYTES = 512 * 1024

/** Each SQL text is compiled once and kept; texts that vary without end cannot fill the memory. */
function keeping(compile: (text: string) => SqliteStatement): (text: string) => SqliteStatement {
  const kept = new BoundedCache<SqliteStatement>(STATEMENT_CACHE_BYTES)
  return (text) => {
    let statement = kept.get(text)
    if (!statement) {
      statement = compile(text)
      kept.set(text, statement)
    }
    return statement
  }
}
