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
import { BoundedCache } from '../lib/bounded-cache.ts'
import { Mutex, retryWhileBusy } from './sqlite-busy.ts'
import type { GroupCommit } from './sqlite-group-commit.ts'

/** How long a statement waits for the processes that share the file; whoever made the dialect may change it. */
export interface BusyTimeout {
  milliseconds: number
}

/** Kysely on node:sqlite, with one connection that everybody in the process takes turns with. */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig
  readonly #busyTimeout: BusyTimeout
  readonly #groupCommit: GroupCommit

  constructor(database: DatabaseSync, busyTimeout: BusyTimeout, groupCommit: GroupCommit) {
    const config = { database: asKyselyDatabase(database) }
    super(config)
    this.#config = config
    this.#busyTimeout = busyTimeout
    this.#groupCommit = groupCommit
  }

  override createDriver() {
    return new BusyRetryDriver(this.#config, this.#busyTimeout, this.#groupCommit)
  }

  override createAdapter() {
    return new Adapter()
  }

  override createQueryCompiler() {
    return new Compiler()
  }
}

const ROLLBACK = 'rollback'

class BusyRetryDriver extends SqliteDriver {
  readonly #busyTimeout: BusyTimeout
  readonly #groupCommit: GroupCommit
  readonly #mutex = new Mutex()
  #release = () => {}
  #needsFsync = false

  constructor(config: SqliteDialectConfig, busyTimeout: BusyTimeout, groupCommit: GroupCommit) {
    super(config)
    this.#busyTimeout = busyTimeout
    this.#groupCommit = groupCommit
  }

  /** Patience counts from here: those who queue behind one that waits in vain give up with it, not one after the other. */
  override async acquireConnection(): Promise<DatabaseConnection> {
    const deadlineMs = performance.now() + this.#busyTimeout.milliseconds
    this.#release = await this.#mutex.acquire()
    this.#needsFsync = false
    const connection = await super.acquireConnection()
    return {
      executeQuery: async (query) => {
        if (!SelectQueryNode.is(query.query)) {
          this.#needsFsync = true
          if (query.sql !== ROLLBACK) this.#groupCommit.check()
        }
        return retryWhileBusy(() => connection.executeQuery(query), deadlineMs)
      },
      streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
    }
  }

  /**
   * The next one may go on at once; whoever wrote is told when the disk has it. So is every transaction, since what it
   * found may have been written by one that still waits.
   */
  override async releaseConnection(): Promise<void> {
    const needsFsync = this.#needsFsync
    this.#release()
    if (needsFsync) await this.#groupCommit()
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
    this.#needsFsync = false
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

function asKyselyDatabase(database: DatabaseSync): SqliteDatabase {
  return {
    close: () => database.close(),
    prepare: withStatementCache((text) => asKyselyStatement(database.prepare(text))),
  }
}

function asKyselyStatement(statement: StatementSync): SqliteStatement {
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
function withStatementCache(compile: (text: string) => SqliteStatement): (text: string) => SqliteStatement {
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
