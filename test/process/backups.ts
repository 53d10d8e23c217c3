import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { type BackedUp, backUpToFile } from '../../src/backup/back-up.ts'
import { openBackup } from '../../src/backup/backup-file.ts'
import { LEFT_OUT, tablesInBackup } from '../../src/backup/contents.ts'
import type { OnProgress } from '../../src/backup/progress.ts'
import { type Checked, checkBackup, restore } from '../../src/backup/restore.ts'
import { readConfig } from '../../src/config/config.ts'
import { MIGRATION_NAMES } from '../../src/database/migrate.ts'
import type { Column } from '../../src/database/schema.ts'
import { createLog } from '../../src/logging/log.ts'
import { readDatabase } from '../support/process.ts'
import type { Service } from '../support/service.ts'

type Env = Record<string, string>

const NO_SIGNAL = new AbortController().signal
const unheard = () => {}

/** Writes a backup of a database, in this process. */
export function backUp(
  env: Env,
  file: string,
  { signal = NO_SIGNAL, onProgress = unheard }: { signal?: AbortSignal; onProgress?: OnProgress } = {},
): Promise<BackedUp> {
  const options = { passphrase: undefined, replaces: false, onProgress, signal }
  return backUpToFile(readConfig(env).database, file, options)
}

/** Restores a backup to a database, in this process. */
export async function restoreTo(env: Env, file: string): Promise<Checked> {
  const config = readConfig({ LOG_LEVEL: 'silent', ...env })
  const backup = await openBackup(file)
  try {
    const checked = await checkBackup(backup, config.encryptionKey, unheard)
    await restore(config.database, backup, checked, createLog(config), unheard)
    return checked
  } finally {
    await backup.close()
  }
}

/** All rows of all tables that a backup has, in a form that is the same on both engines. */
export function rowsIn(env: Env): Promise<Record<string, string[]>> {
  return readDatabase(env, async ({ query }) => {
    const tables = (await query.introspection.getTables()).filter(({ name }) => !LEFT_OUT.includes(name))
    const contents = tables.map(async ({ name }) => {
      const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(query)
      return [name, rows.map(comparable).sort()] as const
    })
    return Object.fromEntries((await Promise.all(contents)).sort(([one], [other]) => (one < other ? -1 : 1)))
  })
}

/** The definitions of all tables, indexes and constraints. */
export function schemaIn(env: Env): Promise<unknown[]> {
  return readDatabase(env, async ({ name, query }) => {
    const definitions =
      name === 'sqlite'
        ? sql`select name, sql from sqlite_master order by name`
        : sql`
            select indexname as name, indexdef as sql from pg_indexes where schemaname = 'public' union all
            select conname, pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace
            order by name, sql`
    return (await definitions.execute(query)).rows.map((row) => JSON.stringify(row))
  })
}

function comparable(row: Record<string, unknown>): string {
  const entries = Object.entries(row).map(([column, value]) => [
    column,
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
  ])
  return JSON.stringify(entries.sort())
}

const VALUES: Record<Column['type'], (column: string) => unknown> = {
  text: (column) => `${column} "\\ \n\t\u2028 ä 😀 ${randomBytes(8).toString('hex')}`,
  integer: () => 7,
  binary: () => randomBytes(1000),
}

/**
 * Inserts a row into every table except that of the keys, with text that needs escapes and with bytes. The rows belong to
 * the account.
 */
export async function fillEveryTable({ portico: { database } }: Service, userId: string): Promise<void> {
  for (const { name, columns } of await tablesInBackup(MIGRATION_NAMES)) {
    if (name === 'signing_keys') continue
    const values = columns.map((column) => {
      if (column.name === 'user_id') return userId
      return column.name === 'webhook_id' ? sql`(select id from webhooks)` : VALUES[column.type](column.name)
    })
    const names = columns.map((column) => sql.ref(column.name))
    await sql`insert into ${sql.table(name)} (${sql.join(names)}) values (${sql.join(values)})`.execute(database.query)
  }
}
