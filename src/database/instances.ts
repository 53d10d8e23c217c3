import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { sql } from 'kysely'
import { version } from '../lib/version.ts'
import type { Database } from './database.ts'

/** The load that a process reports: its requests and errors of the last hour, and its queue of password hashes. */
export interface InstanceLoad {
  requests: number
  errors: number
  hashQueue: number
  hashCapacity: number
}

/** A process that has not written for this long has ended, or cannot reach the database. */
const REPORT_TIMEOUT_MS = 3 * 60_000

export interface InstanceReport {
  /** Writes the row of this process, and counts the others. The start calls it, and housekeeping every minute. */
  write(): Promise<void>
  /**
   * The other processes that had a row when they were counted last; infinite before the first time. A process that has
   * ended since is still counted, and a process that has started since is not.
   */
  others(): number
  /** Counts the other processes that have a row. */
  countOthers(): Promise<number>
  /** Deletes the row when the process ends. `deleteStaleInstances` deletes the row of a process that was killed. */
  remove(): Promise<void>
}

/** The row of this process. */
export function createInstanceReport({ query, now }: Database, load: () => InstanceLoad): InstanceReport {
  const id = randomUUID()
  let countOfOthers = Number.POSITIVE_INFINITY
  const others = sql<number>`(select count(*) from instances as other
    where other.id <> ${id} and other.seen_at > ${now} - ${REPORT_TIMEOUT_MS})`.as('others')
  return {
    others: () => countOfOthers,
    async countOthers() {
      const counted = await query.selectNoFrom(others).executeTakeFirstOrThrow()
      countOfOthers = counted.others
      return countOfOthers
    },
    async write() {
      const { requests, errors, hashQueue, hashCapacity } = load()
      const report = { seen_at: now, requests, errors, hash_queue: hashQueue, hash_capacity: hashCapacity }
      const counted = await query
        .insertInto('instances')
        .values({
          id,
          version,
          host: hostname(),
          started_at: sql`${now} - ${Math.round(process.uptime() * 1000)}`,
          ...report,
        })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(report))
        .returning(others)
        .executeTakeFirstOrThrow()
      countOfOthers = counted.others
    },
    async remove() {
      await query.deleteFrom('instances').where('id', '=', id).execute()
    },
  }
}

/** The processes that serve, by the time of their start, the earliest first. */
export function listInstances({ query, now }: Database) {
  return query
    .selectFrom('instances')
    .selectAll()
    .where('seen_at', '>', sql<number>`${now} - ${REPORT_TIMEOUT_MS}`)
    .orderBy('started_at')
    .orderBy('id')
    .execute()
}

/** Deletes the rows of processes that have ended. */
export async function deleteStaleInstances({ query, now }: Database): Promise<void> {
  await query.deleteFrom('instances').where('seen_at', '<', sql<number>`${now} - ${REPORT_TIMEOUT_MS}`).execute()
}
