import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { accounts } from './migrations/0001-accounts.ts'
import { firstKeys } from './migrations/0002-first-keys.ts'
import { linkedSignIns } from './migrations/0003-linked-sign-ins.ts'
import { savedContent } from './migrations/0004-saved-content.ts'
import { pictures } from './migrations/0005-pictures.ts'
import { timesOfEnding } from './migrations/0006-times-of-ending.ts'
import type { Tables } from './tables.ts'

// Append only: what has been released is never edited.
const migrations: Record<string, Migration> = {
  '0001-accounts': accounts,
  '0002-first-keys': firstKeys,
  '0003-linked-sign-ins': linkedSignIns,
  '0004-saved-content': savedContent,
  '0005-pictures': pictures,
  '0006-times-of-ending': timesOfEnding,
}

/** Brings the schema up to date, all or nothing. Instances that start together take turns. */
export async function migrate(query: Kysely<Tables>): Promise<void> {
  const { error } = await new Migrator({
    db: query,
    provider: { getMigrations: async () => migrations },
  }).migrateToLatest()
  if (error) throw error
}
