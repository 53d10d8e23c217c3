import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { seed } from '../../bench/databases/seed.ts'
import type { CleanedUp } from '../support/clean-up.ts'
import { readDatabase } from '../support/process.ts'
import { type EngineName, temporaryDatabase } from '../support/service.ts'

/** The settings of a database with this many verified accounts, with three sessions each. */
export async function seededDatabase(
  test: CleanedUp,
  engine: EngineName,
  accounts: number,
): Promise<Record<string, string>> {
  const env = await temporaryDatabase(test, engine)
  // Creates the schema.
  await readDatabase(env, async () => {})
  const statements = await seed(accounts)
  if (engine === 'sqlite') fillSqlite(join(env.DATA_DIR ?? '', 'portico.db'), statements)
  else await fillPostgres(env.DATABASE_URL ?? '', statements)
  return env
}

function fillSqlite(file: string, statements: string[]): void {
  const database = new DatabaseSync(file)
  database.function('gen_random_uuid', () => randomUUID())
  // This file may be lost in a crash: no fsync, and enough memory for the indexes.
  database.exec('pragma journal_mode = memory; pragma synchronous = off; pragma cache_size = -2000000')
  for (const statement of statements) database.exec(statement)
  database.exec('pragma journal_mode = wal')
  database.close()
}

async function fillPostgres(url: string, statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}
