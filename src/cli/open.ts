import { existsSync } from 'node:fs'
import { type Config, loadConfig } from '../config/config.ts'
import { type Database, type OpenOptions, openDatabase } from '../database/database.ts'
import { migrationState } from '../database/migrate.ts'
import type { Log } from '../logging/log.ts'
import { CommandError } from './command.ts'
import type { Terminal } from './terminal.ts'

/** A log for commands: warnings and errors as plain lines on stderr, since stdout has the result. */
export function commandLog(terminal: Terminal): Log {
  const note = (first: unknown, second?: unknown) => {
    const error = (first as { err?: Error } | null)?.err
    const message = String(typeof first === 'string' ? first : (second ?? ''))
    terminal.note(error ? `${message}: ${error.message}` : message)
  }
  return { info() {}, warn: note, error: note } as Log
}

/** Reads the settings, opens the database, runs the work and closes the database. */
export async function withDatabase<T>(
  terminal: Terminal,
  work: (database: Database, config: Config) => Promise<T>,
): Promise<T> {
  return withDatabaseOf(loadConfig(), terminal, work, {})
}

async function withDatabaseOf<T>(
  config: Config,
  terminal: Terminal,
  work: (database: Database, config: Config) => Promise<T>,
  options: OpenOptions,
): Promise<T> {
  const database = await openDatabase(config.database, commandLog(terminal), options)
  try {
    return await work(database, config)
  } finally {
    await database.close()
  }
}

/** The same for a database that must exist in the version of this command. Neither creates nor migrates one. */
export async function withExistingDatabase<T>(
  terminal: Terminal,
  work: (database: Database, config: Config) => Promise<T>,
): Promise<T> {
  const config = loadConfig()
  const { database: settings } = config
  if (settings.engine === 'sqlite' && !existsSync(settings.file)) {
    throw new CommandError(`There is no database ${settings.file}. The first start of the service creates it.`)
  }
  return withDatabaseOf(
    config,
    terminal,
    async (database) => {
      const { pending, unknown } = await migrationState(database.query)
      if (unknown.length > 0) throw newerDatabase(unknown)
      if (pending.length > 0) {
        throw new CommandError('The database is of an older version. Run "portico migrate" or start the service.')
      }
      return work(database, config)
    },
    { migrates: false },
  )
}

export function newerDatabase(unknown: string[]): CommandError {
  return new CommandError(
    `The database was migrated by a newer version of Portico (${unknown.join(', ')}). Install that version.`,
  )
}
