import { sql } from 'kysely'
import type { Database } from '../database/database.ts'

export interface OutboxState {
  waiting: number
  failed: number
  /** The age of the oldest mail that waits. 0 without one. */
  oldestAgeSeconds: number
}

// The oldest mail is searched among this many that are due first: there is no index on their age.
const MAX_AGED_ROWS = 500

/** Returns a function that reads the state of the outbox. */
export function createReadOutboxState(database: Database): () => Promise<OutboxState> {
  // All counts scan an index, and no mail: `outbox_due` has the mails that wait.
  const read = database.prepare((query) => {
    const aged = query
      .selectFrom('outbox')
      .select('created_at')
      .where('failed_at', 'is', null)
      .orderBy('due_at')
      .limit(MAX_AGED_ROWS)
      .as('aged')
    return query.selectNoFrom((eb) => [
      eb.selectFrom('outbox').select(sql<number>`count(*)`.as('count')).as('total'),
      eb.selectFrom('outbox').where('failed_at', 'is', null).select(sql<number>`count(*)`.as('count')).as('waiting'),
      eb.selectFrom(aged).select(sql<number | null>`${database.now} - min(aged.created_at)`.as('age')).as('age_ms'),
    ])
  })

  return async () => {
    const [row] = await read()
    const waiting = row?.waiting ?? 0
    const failed = (row?.total ?? 0) - waiting
    return { waiting, failed, oldestAgeSeconds: Math.max(0, row?.age_ms ?? 0) / 1000 }
  }
}
