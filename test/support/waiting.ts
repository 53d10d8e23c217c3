import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Service } from './service.ts'

/** Ends when a transaction on PostgreSQL waits for the lock of another. */
export async function untilSomebodyWaits({ portico: { database } }: Service): Promise<void> {
  const deadline = Date.now() + 60_000
  const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  while ((await waiting.execute(database.query)).rows.length === 0) {
    if (Date.now() > deadline) throw new Error('nobody waits')
    await setTimeout(5)
  }
}

/** Long enough for everything that waits for nothing but its turn. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
}
