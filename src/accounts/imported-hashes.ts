import { setTimeout } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'

/** The row of `site_settings`. The import of people creates it when a hash has another scheme or cost. */
const SETTING = 'imported-hashes'

/**
 * Above the time of a hash of bcrypt with the cost 10, of better-auth and of Firebase, which take up to 0.15 s on an
 * idle core.
 */
const MIN_FAILURE_MS = 500

/** Notes that accounts have hashes that take another time than one with the current parameters. */
export async function noteImportedHashes(tx: Tx, now: Database['now']): Promise<void> {
  await tx
    .insertInto('site_settings')
    .values({ name: SETTING, value: 'true', changed_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Timing padding: a failed log-in takes at least MIN_FAILURE_MS on a site with imported people. Otherwise the time of a
 * wrong password would tell which addresses have an account that was imported and not used since.
 */
export function createFailedLogInPadding({ prepare }: Pick<Database, 'prepare'>): (beganAtMs: number) => Promise<void> {
  const find = prepare((query) => query.selectFrom('site_settings').select('name').where('name', '=', SETTING))
  return async (beganAtMs) => {
    if ((await find()).length > 0) await setTimeout(Math.max(0, beganAtMs + MIN_FAILURE_MS - performance.now()))
  }
}
