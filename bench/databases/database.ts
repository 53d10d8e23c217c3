import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Bench } from '../bench.ts'
import { startPortico } from '../contenders/start-portico.ts'
import { inDatabase } from './postgres.ts'
import { seed } from './seed.ts'

export type EngineName = 'SQLite' | 'PostgreSQL'

/** A database with accounts, as settings of a server. */
export interface Database {
  env: Record<string, string>
  accounts: number
  /** The folder of the Portico that created the schema, unless it is this one. */
  checkout?: string | undefined
  /** The file that starts Portico, unless it is that of the source. */
  entry?: string
}

/** Creates the schema by starting Portico once, then inserts rows in bulk. */
export async function createDatabase(
  bench: Bench,
  engine: EngineName,
  accounts: number,
  checkout?: string,
): Promise<Database> {
  bench.progress.now(`writing ${accounts} accounts to ${engine}`)
  const name = `people_${randomUUID().slice(0, 8)}`
  const folder = join(bench.folder, name)
  mkdirSync(folder)
  const url = engine === 'PostgreSQL' ? await bench.postgres.createDatabase(name) : undefined
  const database = { env: { DATA_DIR: folder, ...(url && { DATABASE_URL: url }) }, accounts, checkout }
  await (await startPortico(database))[Symbol.asyncDispose]()
  if (url) await fillPostgres(url, accounts)
  else await fillSqlite(join(folder, 'portico.db'), accounts)
  return database
}

async function fillPostgres(url: string, accounts: number) {
  await inDatabase(url, async (client) => {
    for (const statement of await seed(accounts)) await client.query(statement)
    await client.query('vacuum analyze')
    await client.query('checkpoint')
  })
}

async function fillSqlite(file: string, accounts: number) {
  const database = new DatabaseSync(file)
  database.function('gen_random_uuid', () => randomUUID())
  // This file may be lost in a crash: no fsync, and enough memory for the indexes.
  database.exec('pragma journal_mode = memory; pragma synchronous = off; pragma cache_size = -2000000')
  for (const statement of await seed(accounts)) database.exec(statement)
  database.exec('analyze; pragma journal_mode = wal')
  database.close()
  // Dirty pages that are still being written would delay the first measured commits.
  const open = openSync(file, 'r+')
  fsyncSync(open)
  closeSync(open)
}
