import { sql } from 'kysely'
import { migrationState } from '../database/migrate.ts'
import { type Check, fault, type Observation, ok, warning } from './finding.ts'
import { NO_DATABASE } from './needs-tables.ts'

export const checkMigrations: Check = async ({ database }) => {
  if (!database) return [NO_DATABASE]
  const { pending, unknown, applied } = await migrationState(database.query)
  if (unknown.length > 0) {
    return [
      fault(
        `the database was migrated by a newer version of Portico (${unknown.join(', ')})`,
        'Install that version: this one refuses to start.',
      ),
    ]
  }
  if (pending.length === 0) return [ok(`all ${applied.length} have run`)]
  const observations: Observation[] = [
    applied.length === 0
      ? warning('the database is empty', 'The first start of the service, or "portico migrate", creates the tables.')
      : warning(
          `not run yet: ${pending.join(', ')}`,
          'The next start runs them, or "portico migrate". "portico migrate --dry-run" tells more.',
        ),
  ]
  if (database.name === 'postgres' && !(await mayCreate(database))) {
    observations.push(
      fault(
        'the role of DATABASE_URL may not create tables, so the migrations will fail',
        'As the owner of the database: grant create on schema public to the role.',
      ),
    )
  }
  return observations
}

async function mayCreate({ query }: { query: Parameters<typeof migrationState>[0] }): Promise<boolean> {
  const { rows } = await sql<{ may: boolean | null }>`
    select has_schema_privilege(current_schema(), 'create') as may`.execute(query)
  return rows[0]?.may === true
}
