import { sql } from 'kysely'
import type { Database } from './database.ts'

/** An estimate of the database's clock, which all instances share. `now` sends no query. */
export interface Clock {
  /** In milliseconds, like `Date.now()`. */
  now(): number
  /** Measures the offset between this machine's clock and the database's. */
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
      // If the database's time is between sending and receiving, the offset is 0: a smaller one cannot be measured. On
      // SQLite both are the same clock.
      offsetMs = now - Math.min(Math.max(now, sentAt), receivedAt)
    },
  }
  await clock.measure()
  return clock
}
