import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { Person } from './api.ts'
import type { EngineName } from './service.ts'

export const FIXTURES = join(import.meta.dirname, '../fixtures/databases')

/** What a test needs to know about the database of a released version. */
export interface UpgradeFixture {
  /** In milliseconds since 1970. */
  madeAt: number
  baseUrl: string
  /** Has a password, a biography, a picture and a browser session. */
  ada: Person & { bio: string; avatar: string; cookie: string }
  /** Signs in through a provider. */
  grace: Person & { subject: string; provider: Record<string, string> }
  /** Has registered and not verified the address. The mail with the code waits in the outbox. */
  alan: { email: string; password: string }
}

/** The tags of all versions that have a fixture. */
export function releasedTags(): string[] {
  return [...new Set(readdirSync(FIXTURES).map((file) => file.replace(/\.(sqlite|postgres)\.\w+$/, '')))]
}

export const fixtureFile = (tag: string, engine: EngineName, kind: 'sql' | 'json') =>
  join(FIXTURES, `${tag}.${engine}.${kind}`)

/** The database of these settings, without Portico. */
export async function openRaw(env: Record<string, string>): Promise<SqlDatabase> {
  return env.DATABASE_URL
    ? openPostgresDatabase(env.DATABASE_URL)
    : openSqliteFile(join(env.DATA_DIR ?? '', 'portico.db'))
}

// The dumps are the catalogue and the rows as SQL text. Neither sqlite3 nor pg_dump is among the installed packages.

/** Statements that make a copy of a database, to be executed in this order. Within each list the order is fixed. */
export interface SqlDump {
  tables: string[]
  rows: string[]
  /** Of PostgreSQL. On SQLite they are part of the tables. */
  constraints: string[]
  indexes: string[]
}

/** A database that SQL text is read from and written to, without Portico. */
export interface SqlDatabase {
  dump(): Promise<SqlDump>
  execute(sql: string): Promise<void>
  /** Moves all times by so many milliseconds. Times are numbers in columns whose names end with `_at` or `_since`. */
  moveTimes(milliseconds: number): Promise<void>
  /** What the engine itself finds wrong. */
  faults(): Promise<string[]>
  close(): Promise<void>
}

// Later than any number of these columns that is not a time in milliseconds, such as 0.
const FIRST_TIME_MS = 1_000_000_000_000
const isTime = (column: string) => /_(at|since)$/.test(column)

const moveColumn = (table: string, column: string, milliseconds: number) =>
  `update "${table}" set "${column}" = "${column}" + ${milliseconds} where "${column}" > ${FIRST_TIME_MS}`

export function openSqliteFile(file: string): SqlDatabase {
  // Rows of a dump are inserted by table. `faults` finds references that lead nowhere.
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  const texts = (sql: string, ...values: string[]) =>
    database
      .prepare(sql)
      .all(...values)
      .map((row) => String(Object.values(row)[0]))
  const tables = () =>
    texts("select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by 1")
  const columns = (table: string) => texts('select name from pragma_table_info(?)', table)
  return {
    async dump() {
      const statements = (type: string) =>
        texts('select sql from sqlite_master where type = ? and sql is not null order by name', type)
      const rows = tables().flatMap((table) => {
        const values = columns(table).map((column) => `quote("${column}")`)
        return texts(`select ${values.join(" || ', ' || ")} from "${table}" order by 1`).map(
          (row) => `insert into "${table}" values (${row})`,
        )
      })
      return { tables: statements('table'), rows, constraints: [], indexes: statements('index') }
    },
    async execute(sql) {
      database.exec(sql)
    },
    async moveTimes(milliseconds) {
      for (const table of tables()) {
        for (const column of columns(table).filter(isTime)) database.exec(moveColumn(table, column, milliseconds))
      }
    },
    async faults() {
      const integrity = texts('pragma integrity_check').filter((text) => text !== 'ok')
      return [...integrity, ...texts('pragma foreign_key_check').map((table) => `foreign key of ${table}`)]
    },
    async close() {
      database.close()
    },
  }
}

const TABLES = `
  select relname as name, 'create table "' || relname || '" (' || (
    select string_agg(
      format('%I %s', attname, format_type(atttypid, atttypmod)) ||
        coalesce(' default ' || pg_get_expr(adbin, adrelid), '') || case when attnotnull then ' not null' else '' end,
      ', ' order by attnum)
    from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attrelid = pg_class.oid and attnum > 0 and not attisdropped
  ) || ')' || coalesce(' with (' || array_to_string(reloptions, ', ') || ')', '') as sql
  from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`

// Keys that others refer to come first. Constraints of the type n, "not null", are part of the columns.
const CONSTRAINTS = `
  select format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as sql
  from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n' order by contype = 'f', 1`

const INDEXES = `
  select pg_get_indexdef(indexrelid) as sql from pg_index join pg_class on pg_class.oid = indexrelid
  where relnamespace = 'public'::regnamespace
    and not exists (select from pg_constraint where conindid = indexrelid) order by 1`

export async function openPostgresDatabase(url: string): Promise<SqlDatabase> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const texts = async (sql: string): Promise<string[]> => (await client.query(sql)).rows.map((row) => row.sql)
  const columns = (table: string) =>
    texts(`select column_name as sql from information_schema.columns
      where table_schema = 'public' and table_name = '${table}' order by ordinal_position`)
  return {
    async dump() {
      const tables: { name: string; sql: string }[] = (await client.query(TABLES)).rows
      const rows: string[] = []
      for (const { name } of tables) {
        const values = (await columns(name)).map((column) => `quote_nullable("${column}")`).join(", ', ', ")
        const insertion = `concat('insert into "${name}" values (', ${values}, ')')`
        rows.push(...(await texts(`select ${insertion} as sql from "${name}" order by 1`)))
      }
      const [constraints, indexes] = [await texts(CONSTRAINTS), await texts(INDEXES)]
      return { tables: tables.map(({ sql }) => sql), rows, constraints, indexes }
    },
    async execute(sql) {
      await client.query(sql)
    },
    async moveTimes(milliseconds) {
      const found = await client.query(
        `select table_name, column_name from information_schema.columns
          where table_schema = 'public' and data_type = 'bigint'`,
      )
      for (const { table_name, column_name } of found.rows.filter((row) => isTime(row.column_name))) {
        await client.query(moveColumn(table_name, column_name, milliseconds))
      }
    },
    // Constraints were checked when they were added, after the rows.
    faults: async () => [],
    close: () => client.end(),
  }
}
