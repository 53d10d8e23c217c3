import { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import { runMigrations } from './migrate.ts'
import { NodeSqliteDialect } from './sqlite-dialect.ts'
import { NO_GROUP_COMMIT } from './sqlite-group-commit.ts'
import type { Tables } from './tables.ts'

export interface Table {
  name: string
  columns: Column[]
}

export interface Column {
  name: string
  type: 'text' | 'integer' | 'binary'
}

// The types that the migrations declare, on both engines.
const TYPES: Record<string, Column['type']> = {
  text: 'text',
  integer: 'integer',
  bigint: 'integer',
  bytea: 'binary',
}

const known = new Map<string, Promise<Table[]>>()

/**
 * The tables as this migration has left them, without those of the migrator. They are read from a database in memory
 * that the migrations have created, so that a schema of any age is known without a database of that age.
 */
export function tablesAfter(migration: string): Promise<Table[]> {
  const tables = known.get(migration) ?? readTablesAfter(migration)
  known.set(migration, tables)
  return tables
}

async function readTablesAfter(migration: string): Promise<Table[]> {
  const connection = new DatabaseSync(':memory:')
  const inMemory = new NodeSqliteDialect(connection, () => 0, NO_GROUP_COMMIT)
  const query = new Kysely<Tables>({ dialect: inMemory })
  try {
    await query.transaction().execute((tx) => runMigrations(tx, migration))
    const tables = await query.introspection.getTables()
    return tables.map(({ name, columns }) => ({
      name,
      columns: columns.map((column) => ({ name: column.name, type: typeOf(column.dataType) })),
    }))
  } finally {
    await query.destroy()
  }
}

function typeOf(declared: string): Column['type'] {
  const type = TYPES[declared.toLowerCase()]
  if (!type) throw new Error(`a column has the unknown type ${declared}`)
  return type
}
