import { type Config, loadConfig } from '../config/config.ts'
import { type Database, type OpenOptions, openDatabase } from '../database/database.ts'
import type { Log } from '../logging/log.ts'
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
  options: OpenOptions = {},
): Promise<T> {
  const config = loadConfig()
  const database = await openDatabase(config.database, commandLog(terminal), options)
  try {
    return await work(database, config)
  } finally {
    await database.close()
  }
}
