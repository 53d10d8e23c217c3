import type { FastifyBaseLogger } from 'fastify'
import { expressionBuilder } from 'kysely'
import type { Database } from './database/database.ts'
import type { Tables } from './database/tables.ts'
import { type KeyRing, RELOAD_ROUND } from './sessions/key-ring.ts'

const DAY = 24 * 60 * 60_000

/** Once a minute: learns of new keys, and lets go of what has served its time. Instances may all do it at once. */
export function startHousekeeping(database: Database, keys: KeyRing, log: FastifyBaseLogger) {
  const timer = setInterval(() => {
    Promise.all([keys.reload(), tidy(database)]).catch((error) => log.error({ err: error }, 'housekeeping failed'))
  }, RELOAD_ROUND)
  return { stop: () => clearInterval(timer) }
}

export async function tidy({ query, now }: Database): Promise<void> {
  const daysAgo = (days: number) => expressionBuilder<Tables>()(now, '-', days * DAY)
  await query.deleteFrom('users').where('email_verified_at', 'is', null).where('created_at', '<', daysAgo(7)).execute()
  await query.deleteFrom('codes').where('expires_at', '<', now).execute()
  await query.deleteFrom('handshakes').where('expires_at', '<', now).execute()
  await query.deleteFrom('pictures').where('unused_since', '<', daysAgo(1)).execute()
  await query.deleteFrom('rate_limits').where('resets_at', '<', now).execute()
  // Ended sessions are shown to their owner for 30 days.
  await query.deleteFrom('sessions').where('revoked_at', '<', daysAgo(30)).execute()
  await query.deleteFrom('sessions').where('expires_at', '<', daysAgo(30)).execute()
  // Mail that was given up stays a while for the operator to find.
  await query.deleteFrom('outbox').where('failed_at', '<', daysAgo(30)).execute()
  // Nothing signed with a key outlives it by more than a refresh token's 30 days.
  await query.deleteFrom('signing_keys').where('retired_at', '<', daysAgo(31)).execute()
}
