import { sql } from 'kysely'
import type { Database } from './database.ts'

export interface VersionAndSize {
  /** The version of the engine. */
  version: string
  bytes: number
}

/** The version of the engine and the size of the database, without its write-ahead log. */
export async function readVersionAndSize({ query, name }: Pick<Database, 'query' | 'name'>): Promise<VersionAndSize> {
  const statement =
    name === 'sqlite'
      ? sql<VersionAndSize>`select sqlite_version() as version, page_count * page_size as bytes
          from pragma_page_count, pragma_page_size`
      : sql<VersionAndSize>`select current_setting('server_version') as version,
          pg_database_size(current_database()) as bytes`
  const { rows } = await statement.execute(query)
  return rows[0] as VersionAndSize
}
