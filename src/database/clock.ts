import { sql } from 'kysely'
import type { Database } from './database.ts'

/** The time by the database's clock, which all instances share, without asking the database. */
export interface Clock {
  /** In milliseconds, like `Date.now()`. */
  now(): number
  /** Compares this machine's clock with the database's. */
  measure(): Promise<void>
}

export async function openClock(database: Pick<Database, 'query' | 'now'>): Promise<Clock> {
  let offsetMs = 0
  const clock: Clock = {
    now: () => Date.now() + offsetMs,
    async measure() {
      const sentAt = Date.now()
      const { rows } = await sql<{ now: number }>`select ${database.now} as now`.execute(database.query)
      const receivedAt = Date.now()
      const now = rows[0]?.now ?? receivedAt
      // Between sending and receiving, the clocks agree as far as can be measured. On SQLite they are the same clock.
      offsetMs = now - Math.min(Math.max(now, sentAt), receivedAt)
    },
  }
  await clock.measure()
  return clock
}
