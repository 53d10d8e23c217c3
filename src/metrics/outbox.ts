import type { Database } from '../database/database.ts'
import { createReadOutboxState } from '../mail/outbox-state.ts'
import { shareRead } from './shared-read.ts'

/** Returns a function that reads the state of the outbox. Undefined while the database does not respond. */
export function createReadOutbox(database: Database) {
  return shareRead(createReadOutboxState(database))
}
