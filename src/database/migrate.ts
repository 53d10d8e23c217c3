import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Tx } from './engine.ts'
import { accounts } from './migrations/0001-accounts.ts'
import { firstKeys } from './migrations/0002-first-keys.ts'
import { linkedSignIns } from './migrations/0003-linked-sign-ins.ts'
import { savedContent } from './migrations/0004-saved-content.ts'
import { pictures } from './migrations/0005-pictures.ts'
import { timesOfEnding } from './migrations/0006-times-of-ending.ts'
import { endedSessions } from './migrations/0007-ended-sessions.ts'
import { linksInMails } from './migrations/0008-links-in-mails.ts'
import { sessionOriginsAndUnlinkedIdentities } from './migrations/0009-session-origins-and-unlinked-identities.ts'
import { cheapRefresh } from './migrations/0010-cheap-refresh.ts'
import { proofsOfIdentity } from './migrations/0011-proofs-of-identity.ts'
import { owners } from './migrations/0012-owners.ts'
import { registration } from './migrations/0013-registration.ts'
import { webhooks } from './migrations/0014-webhooks.ts'
import { health } from './migrations/0015-health.ts'
import type { Tables } from './tables.ts'

// Append only: a released migration is never edited.
const migrations: Record<string, Migration> = {
  '0001-accounts': accounts,
  '0002-first-keys': firstKeys,
  '0003-linked-sign-ins': linkedSignIns,
  '0004-saved-content': savedContent,
  '0005-pictures': pictures,
  '0006-times-of-ending': timesOfEnding,
  '0007-ended-sessions': endedSessions,
  '0008-links-in-mails': linksInMails,
  '0009-session-origins-and-unlinked-identities': sessionOriginsAndUnlinkedIdentities,
  '0010-cheap-refresh': cheapRefresh,
  '0011-proofs-of-identity': proofsOfIdentity,
  '0012-owners': owners,
  '0013-registration': registration,
  '0014-webhooks': webhooks,
  '0015-health': health,
}

/** The names of all migrations of this version, in their order. */
export const MIGRATION_NAMES: readonly string[] = Object.keys(migrations)

/**
 * Runs all missing migrations in one transaction. `lock` is called at its beginning, and makes other instances wait
 * until the transaction ends.
 */
export async function migrate(query: Kysely<Tables>, lock: (tx: Tx) => Promise<unknown>): Promise<void> {
  if (await isUpToDate(query)) return
  await query.transaction().execute(async (tx) => {
    await lock(tx)
    await runMigrations(tx)
  })
}

/** Runs the missing migrations in the transaction of the caller: all of them, or those up to the named one. */
export async function runMigrations(tx: Tx, upTo?: string): Promise<void> {
  const { Migrator } = await import('kysely/migration')
  const migrator = new Migrator({ db: tx, provider: { getMigrations: async () => migrations } })
  const { error } = await (upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo))
  if (error) throw error
}

/**
 * Whether all known migrations, and no others, have run. Most starts end here, without a lock. After an error,
 * the migrator of Kysely runs and reports it.
 */
async function isUpToDate(query: Kysely<Tables>): Promise<boolean> {
  try {
    const { pending, unknown } = await migrationState(query)
    return pending.length === 0 && unknown.length === 0
  } catch {
    return false
  }
}

export interface MigrationState {
  applied: string[]
  /** Known migrations that have not run. */
  pending: string[]
  /** Migrations of a newer version of Portico that have run. */
  unknown: string[]
}

/** Compares the migrations that have run with those of this version. In an empty database, none has run. */
export async function migrationState(query: Kysely<Tables>): Promise<MigrationState> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`
    .execute(query)
    .catch(ifNoSuchTable({ rows: [] }))
  return compareMigrations(rows.map(({ name }) => name))
}

/** Which migrations are missing when these have run. */
export function compareMigrations(applied: string[]): MigrationState {
  const known = MIGRATION_NAMES
  return {
    applied,
    pending: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  }
}

/** 42P01 is PostgreSQL's undefined_table. SQLite has no code of its own for it. */
function ifNoSuchTable<T>(instead: T) {
  return (error: Error & { code?: string }): T => {
    if (error.code === '42P01' || /^no such table/.test(error.message)) return instead
    throw error
  }
}
