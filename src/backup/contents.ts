import { MIGRATION_NAMES } from '../database/migrate.ts'
import { type Table, tablesAfter } from '../database/schema.ts'
import { BackupError } from './backup-error.ts'

/**
 * Tables that no backup has. Counters of rate limits are temporary, and change all the time. The rows of running
 * processes are out of date after minutes.
 */
export const LEFT_OUT: readonly string[] = ['rate_limits', 'instances']

/**
 * Tables in which a database without accounts may have rows: migrations and a first start write them, and housekeeping.
 */
export const FILLED_BEFORE_USE: readonly string[] = [
  'signing_keys',
  'secrets',
  'saved_content',
  'activity_counts',
  ...LEFT_OUT,
]

/** The tables that foreign keys refer to. These tables have no foreign keys themselves. */
export const PARENTS: readonly string[] = ['users', 'webhooks']

/** The tables of a backup, for a database in which these migrations have run. The tables of PARENTS are first. */
export async function tablesInBackup(migrations: readonly string[]): Promise<Table[]> {
  const tables = await tablesAfter(lastOf(migrations))
  const isParent = ({ name }: Table) => PARENTS.includes(name)
  return tables
    .filter(({ name }) => !LEFT_OUT.includes(name))
    .sort((one, other) => Number(isParent(other)) - Number(isParent(one)))
}

/** The last of the migrations that have run. Refuses a list that this version does not begin with. */
export function lastOf(migrations: readonly string[]): string {
  const last = migrations.at(-1)
  if (last === undefined) throw new BackupError('The database has no schema: no migration has run.')
  const unknown = migrations.find((name) => !MIGRATION_NAMES.includes(name))
  if (unknown !== undefined) {
    throw new BackupError(`A newer version of Portico is needed: this one does not know the migration ${unknown}.`)
  }
  if (migrations.some((name, place) => name !== MIGRATION_NAMES[place])) {
    throw new BackupError('The list of migrations has gaps.')
  }
  return last
}
