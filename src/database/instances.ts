import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { sql } from 'kysely'
import { version } from '../lib/version.ts'
import type { Database } from './database.ts'

/** What a process reports about itself. */
export interface InstanceLoad {
  requests: number
  errors: number
  hashQueue: number
  hashCapacity: number
}

/** A process that has not written for this long has ended, or cannot reach the database. */
const LIVING_MS = 3 * 60_000

/**
 * Returns the function that writes the row of this process. Nothing deletes the row when the process ends: a shutdown
 * does not wait for the database. `tidyInstances` deletes it.
 */
export function createInstanceReport({ query, now }: Database, load: () => InstanceLoad): () => Promise<void> {
  const id = randomUUID()
  return async () => {
    const { requests, errors, hashQueue, hashCapacity } = load()
    const report = { seen_at: now, requests, errors, hash_queue: hashQueue, hash_capacity: hashCapacity }
    await query
      .insertInto('instances')
      .values({
        id,
        version,
        host: hostname(),
        started_at: sql`${now} - ${Math.round(process.uptime() * 1000)}`,
        ...report,
      })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(report))
      .execute()
  }
}

/** The processes that serve, those that have started first at the beginning. */
export function listInstances({ query, now }: Database) {
  return query
    .selectFrom('instances')
    .selectAll()
    .where('seen_at', '>', sql<number>`${now} - ${LIVING_MS}`)
    .orderBy('started_at')
    .orderBy('id')
    .execute()
}

/** Deletes the rows of processes that have ended. */
export async function tidyInstances({ query, now }: Database): Promise<void> {
  await query.deleteFrom('instances').where('seen_at', '<', sql<number>`${now} - ${LIVING_MS}`).execute()
}
