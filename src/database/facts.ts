import { sql } from 'kysely'
import type { Database } from './database.ts'

export interface DatabaseFacts {
  /** The version of the engine. */
  version: string
  bytes: number
}

/** The version of the engine and the size of the database, without its write-ahead log. */
export async function readDatabaseFacts({ query, name }: Pick<Database, 'query' | 'name'>): Promise<DatabaseFacts> {
  const facts =
    name === 'sqlite'
      ? sql<DatabaseFacts>`select sqlite_version() as version, page_count * page_size as bytes
          from pragma_page_count, pragma_page_size`
      : sql<DatabaseFacts>`select current_setting('server_version') as version,
          pg_database_size(current_database()) as bytes`
  const { rows } = await facts.execute(query)
  return rows[0] as DatabaseFacts
}
