import type { Config } from '../config/config.ts'
import { loadConfig } from '../config/config.ts'
import { openDatabase } from '../database/database.ts'
import { compareMigrations, type MigrationState, migrationState } from '../database/migrate.ts'
import { LOCKED_TABLES } from '../database/migration-locks.ts'
import { openForReading } from '../database/read-only.ts'
import { counted } from '../lib/counted.ts'
import type { Log } from '../logging/log.ts'
import type { Invocation } from './command.ts'
import { commandLog, newerDatabase } from './open.ts'
import { alignColumns } from './terminal.ts'

export async function run({ flag, json, terminal }: Invocation): Promise<undefined> {
  const config = loadConfig()
  const log = commandLog(terminal)
  const { pending, unknown, applied } = await readState(config.database, log)
  if (unknown.length > 0) throw newerDatabase(unknown)
  const isDryRun = flag('dry-run')
  if (!isDryRun && pending.length > 0) {
    const database = await openDatabase(config.database, log)
    await database.close()
  }
  // A new database has no data that a lock could keep anybody from.
  const migrations = pending.map((name) => ({ name, locks: applied.length > 0 ? (LOCKED_TABLES[name] ?? []) : [] }))
  if (json) {
    terminal.printJson(isDryRun ? { pending: migrations, ran: [] } : { pending: [], ran: pending })
    return
  }
  if (pending.length === 0) {
    terminal.print(`The database is up to date: all ${applied.length} migrations have run.`)
    return
  }
  terminal.print(`${counted(pending.length, 'migration')} ${isDryRun ? 'would run' : 'ran'}:`)
  const rows = migrations.map(({ name, locks }) => [name, isDryRun ? describeLocks(locks, config.database) : ''])
  for (const line of alignColumns(rows)) terminal.print(`  ${line}`)
  if (isDryRun) terminal.print('Nothing was changed. "portico migrate", or a start of the service, runs them.')
}

async function readState(config: Config['database'], log: Log): Promise<MigrationState> {
  const database = await openForReading(config, log)
  if (!database) return compareMigrations([])
  return migrationState(database.query).finally(() => database.close())
}

function describeLocks(locks: string[], { engine }: Config['database']): string {
  return locks.length > 0 && engine === 'postgres' ? `locks ${locks.join(', ')} until all have run` : ''
}
