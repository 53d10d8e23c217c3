import { RELOAD_INTERVAL_MS } from '../sessions/key-ring.ts'
import { daysBetween, fault, ok, warning } from './finding.ts'
import { needsTables } from './needs-tables.ts'

const MAX_AGE_DAYS = 365

/** The age of the key that signs tokens. */
export const checkKeys = needsTables(async ({ query, now }) => {
  const key = await query
    .selectFrom('signing_keys')
    .select(['created_at', now.as('now')])
    .where('retired_at', 'is', null)
    .orderBy('created_at', 'desc')
    .executeTakeFirst()
  if (!key) return [fault('the database has no signing key', '"portico keys rotate" creates one.')]
  const days = daysBetween(key.created_at, key.now)
  if (days > MAX_AGE_DAYS) {
    return [warning(`the signing key is ${days} days old`, '"portico keys rotate" replaces it, and signs nobody out.')]
  }
  const isNew = key.now - key.created_at < 2 * RELOAD_INTERVAL_MS
  return [ok(isNew ? 'the signing key is new' : `the signing key is ${days} days old`)]
})
