import { sql } from 'kysely'
import type { Config } from '../config/config.ts'
import type { Tx } from '../database/engine.ts'
import { MIGRATION_NAMES, migrationState, runMigrations } from '../database/migrate.ts'
import { tablesAfter } from '../database/schema.ts'
import type { Log } from '../logging/log.ts'
import { opensWith } from '../proofs/secret-box.ts'
import { BackupError } from './backup-error.ts'
import type { BackupFile } from './backup-file.ts'
import { FILLED_BEFORE_USE, lastOf, PARENTS } from './contents.ts'
import type { Contents } from './decode.ts'
import { openTarget } from './open.ts'
import type { OnProgress } from './progress.ts'
import type { Target } from './target.ts'

export interface Checked extends Contents {
  /** The number of authenticator apps whose secrets the given ENCRYPTION_KEY cannot decrypt. */
  unreadableApps: number
}

/** Reads the whole backup and checks it. No database is opened. */
export async function checkBackup(
  backup: BackupFile,
  encryptionKey: Config['encryptionKey'],
  onProgress: OnProgress,
): Promise<Checked> {
  let unreadableApps = 0
  const contents = await backup.read(
    (table, rows) => {
      if (table.name !== 'authenticator_apps') return
      const place = table.columns.findIndex(({ name }) => name === 'secret')
      unreadableApps += rows.filter((row) => !opensWith(encryptionKey, String(row[place]))).length
    },
    (part) => onProgress('Checking', '', part),
  )
  return { ...contents, unreadableApps }
}

/**
 * Restores a checked backup to a database without accounts. Everything happens in one transaction: the schema is
 * created as it was when the backup was made, the rows are inserted, and the newer migrations run.
 */
export async function restore(
  config: Config['database'],
  backup: BackupFile,
  { header: { migrations } }: Contents,
  log: Log,
  onProgress: OnProgress,
): Promise<void> {
  const target = await openTarget(config, log)
  try {
    await target.transaction(async (tx) => {
      await dropEmptySchema(tx, target)
      await runMigrations(tx, lastOf(migrations))
      const tables = await tablesAfter(lastOf(migrations))
      // Migrations have created keys and secrets. Those of the backup replace them.
      for (const { name } of tables) await sql`delete from ${sql.table(name)}`.execute(tx)
      await target.withoutIndexes(tx, tables, () =>
        // The file is checked again while it is read: another process may have changed it since.
        backup.read(
          (table, rows) => target.insert(tx, table, rows),
          (part) => onProgress('Restoring', '', part),
        ),
      )
      onProgress('Checking the database')
      await target.check(tx)
      await runMigrations(tx)
    })
  } finally {
    await target.close()
  }
}

const OF_THE_MIGRATOR = ['kysely_migration', 'kysely_migration_lock']

/**
 * Drops the tables of a database that was not used yet, since its schema may be newer than that of the backup. Refuses
 * one with accounts, of a newer version, or with tables of the same names that are not ours.
 */
async function dropEmptySchema(tx: Tx, target: Target): Promise<void> {
  const newest = await tablesAfter(lastOf(MIGRATION_NAMES))
  const ours = newest.map(({ name }) => name)
  const found = await target.lockTables(tx, [...OF_THE_MIGRATOR, ...ours])
  if (found.length === 0) return
  if (!found.includes('kysely_migration')) {
    throw new BackupError(`The database has a table ${found[0]} that Portico has not created. Nothing was restored.`)
  }
  if ((await migrationState(tx)).unknown.length > 0) {
    throw new BackupError('The database belongs to a newer version of Portico. Nothing was restored.')
  }
  for (const name of found) {
    if (OF_THE_MIGRATOR.includes(name) || FILLED_BEFORE_USE.includes(name)) continue
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(tx)
    if (rows.length > 0) {
      throw new BackupError(`The database is not empty: its table ${name} has rows. Nothing was restored.`)
    }
  }
  const [parents, others] = [found.filter(isParent), found.filter((name) => !isParent(name))]
  for (const name of [...others, ...parents]) await tx.schema.dropTable(name).execute()
}

const isParent = (table: string) => PARENTS.includes(table)
