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
import { Mutex } from './mutex.ts'
import { retryWhileBusy } from './sqlite-busy.ts'
import type { GroupCommit } from './sqlite-group-commit.ts'

/** For how many milliseconds a statement is retried while the database is locked. It is called for each statement. */
type BusyTimeout = () => number

/**
 * Kysely on node:sqlite, with one connection. A statement or transaction has the connection to itself, by a mutex. A
 * write resolves after its WAL frames are on the disk.
 */
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
    return new Driver(this.#config, this.#busyTimeout, this.#groupCommit)
  }

  override createAdapter() {
    return new Adapter()
  }

  override createQueryCompiler() {
    return new Compiler()
  }
}

const ROLLBACK = 'rollback'

/** Kysely calls `acquireConnection` and `releaseConnection` around each statement, or around each whole transaction. */
class Driver extends SqliteDriver {
  readonly #busyTimeout: BusyTimeout
  readonly #groupCommit: GroupCommit
  readonly #mutex = new Mutex()
  // Both fields belong to the current holder of the mutex.
  #releaseMutex = () => {}
  #needsFsync = false

  constructor(config: SqliteDialectConfig, busyTimeout: BusyTimeout, groupCommit: GroupCommit) {
    super(config)
    this.#busyTimeout = busyTimeout
    this.#groupCommit = groupCommit
  }

  /**
   * The busy timeout includes the wait for the mutex. So callers that queue behind one that times out fail at the same
   * time as that caller, instead of one busy timeout after the other.
   */
  override async acquireConnection(): Promise<DatabaseConnection> {
    const deadlineMs = performance.now() + this.#busyTimeout()
    this.#releaseMutex = await this.#mutex.acquire()
    this.#needsFsync = false
    const connection = await super.acquireConnection()
    return {
      executeQuery: async (query) => {
        if (!SelectQueryNode.is(query.query)) {
          this.#needsFsync = true
          if (query.sql !== ROLLBACK) this.#groupCommit.throwIfFailed()
        }
        return retryWhileBusy(() => connection.executeQuery(query), deadlineMs)
      },
      streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
    }
  }

  /**
   * Kysely awaits this before it resolves the statement or transaction, so the caller sends its response after the
   * fsync.
   *
   * The mutex is released before the wait: the next write appends to the WAL while this one waits, and both may share
   * an fsync. A transaction waits even if it only read, because it may have read a commit that is not yet on the disk.
   * A single `select` of the query builder does not wait, and neither does a transaction that was rolled back.
   */
  override async releaseConnection(): Promise<void> {
    const needsFsync = this.#needsFsync
    this.#releaseMutex()
    if (needsFsync) await this.#groupCommit.waitForFsync()
  }

  /**
   * `begin immediate` takes the write lock at once, so rows that the transaction reads cannot change before it writes.
   * After a plain `begin` and a read, the first write fails if another connection has committed meanwhile
   * (SQLITE_BUSY_SNAPSHOT, https://www.sqlite.org/rescode.html#busy_snapshot).
   */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  /**
   * Some errors (SQLITE_FULL, SQLITE_IOERR) make SQLite roll back by itself, and `rollback` then fails, because no
   * transaction is open. That second error is dropped, so that the caller gets the first one
   * (https://www.sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction).
   */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await connection.executeQuery(CompiledQuery.raw(ROLLBACK))
    } catch (error) {
      if (!/no transaction is active/.test(String(error))) throw error
    }
    this.#needsFsync = false
  }
}

/** Leaves out `for no key update`. SQLite has no row locks: a transaction has the write lock of the whole file. */
class Compiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier !== 'ForNoKeyUpdate') super.visitSelectModifier(node)
  }
}

class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true
  }

  /** False would make Kysely use a mutex of its own, which stays locked during the fsync in `releaseConnection`. */
  override get supportsMultipleConnections() {
    return true
  }
}

/** Kysely's interface is that of better-sqlite3. */
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

// About 700 statements of common length.
const STATEMENT_CACHE_BYTES = 512 * 1024

/** Caches prepared statements by their SQL text. The cache is bounded, since Kysely may build any number of texts. */
function withStatementCache(prepare: (text: string) => SqliteStatement): (text: string) => SqliteStatement {
  const cache = new BoundedCache<SqliteStatement>(STATEMENT_CACHE_BYTES)
  return (text) => {
    let statement = cache.get(text)
    if (!statement) {
      statement = prepare(text)
      cache.set(text, statement)
    }
    return statement
  }
}
