import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  SelectQueryNode,
  SqliteAdapter,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  sql,
} from 'kysely'
import type { Engine } from './engine.ts'
import { migrate } from './migrate.ts'
import type { Tables } from './tables.ts'

export async function openSqlite(file: string): Promise<Engine> {
  // The file holds password hashes and signing keys: nobody else's business. SQLite gives its side files the same mode.
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
  const writer = connect(file)
  const query = new Kysely<Tables>({ dialect: new NodeSqliteDialect({ database: shapedForKysely(writer) }) })
  await migrate(query)
  // Reads go over a connection of their own: they see only what is committed, and never wait for a writer.
  const reader = connect(file)
  const read = statements(reader)

  return {
    name: 'sqlite',
    query,
    now: sql<number>`cast(round(unixepoch('subsec') * 1000) as integer)`,
    run(compiled, values) {
      if (!SelectQueryNode.is(compiled.query)) {
        return query.executeQuery({ ...compiled, parameters: values }).then(({ rows }) => rows)
      }
      return read(compiled.sql).all(...(values as SQLInputValue[]))
    },
    isUniqueViolation: (error) => UNIQUE_VIOLATIONS.has(errorCode(error)),
    isUnavailable: (error) => UNAVAILABLE.has(errorCode(error) & 0xff),
    // Over Kysely, so that it waits for the transactions of others to end.
    async scrub() {
      await sql`pragma wal_checkpoint(truncate)`.execute(query)
    },
    async close() {
      reader.close()
      await query.destroy()
    },
  }
}

function connect(file: string): DatabaseSync {
  const database = new DatabaseSync(file)
  // FULL: an acknowledged write survives a power cut. secure_delete: what is deleted is overwritten.
  database.exec(`
    pragma busy_timeout = 5000;
    pragma synchronous = full;
    pragma foreign_keys = on;
    pragma secure_delete = on;
  `)
  writeAhead(database)
  return database
}

/** Two processes that open a new file together race for this switch, and SQLite does not wait for it by itself. */
function writeAhead(database: DatabaseSync): void {
  const giveUpAt = Date.now() + 5000
  for (;;) {
    try {
      database.exec('pragma journal_mode = wal')
      return
    } catch (error) {
      if ((errorCode(error) & 0xff) !== BUSY || Date.now() > giveUpAt) throw error
    }
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

class NodeSqliteDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig

  constructor(config: SqliteDialectConfig) {
    super(config)
    this.#config = config
  }

  override createDriver() {
    return new ImmediateDriver(this.#config)
  }

  override createAdapter() {
    return new TransactionalDdlAdapter()
  }
}

/** Takes the write lock when a transaction begins, so that a read inside it cannot go stale before the write. */
class ImmediateDriver extends SqliteDriver {
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

class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true
  }
}

// SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_PRIMARYKEY.
const UNIQUE_VIOLATIONS = new Set([2067, 1555])
const BUSY = 5
// SQLITE_BUSY, READONLY, IOERR, FULL and CANTOPEN, in the low byte of the extended code.
const UNAVAILABLE = new Set([BUSY, 8, 10, 13, 14])

function errorCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0
}
