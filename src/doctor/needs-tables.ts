import { migrationState } from '../database/migrate.ts'
import type { ReadOnlyDatabase } from '../database/read-only.ts'
import { type Check, type CheckParts, type Observation, skipped } from './finding.ts'

/** A check that reads tables. It is skipped while there are none. */
export function needsTables(check: (database: ReadOnlyDatabase, parts: CheckParts) => Promise<Observation[]>): Check {
  return async (parts) => {
    const { database } = parts
    if (!database) return [NO_DATABASE]
    const { applied } = await migrationState(database.query)
    return applied.length > 0 ? check(database, parts) : [skipped('not checked: the database has no tables yet')]
  }
}

export const NO_DATABASE = skipped('not checked: the database is not there or cannot be opened')
