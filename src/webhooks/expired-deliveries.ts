import { sql } from 'kysely'
import type { Database } from '../database/database.ts'

// With the days that `housekeeping.ts` keeps deliveries, the bound of the delivery log of a webhook.
const MAX_LOGGED_DELIVERIES = 10_000

/** Conditions of the deliveries beyond the newest MAX_LOGGED_DELIVERIES of each webhook, without those that wait. */
export async function excessDeliveries({ query }: Pick<Database, 'query'>) {
  const webhooks = await query.selectFrom('webhooks').select('id').execute()
  const oldest = webhooks.map(async ({ id }) => ({
    id,
    position: await query
      .selectFrom('webhook_deliveries')
      .select('created_at')
      .where('webhook_id', '=', id)
      .orderBy('created_at', 'desc')
      .offset(MAX_LOGGED_DELIVERIES)
      .limit(1)
      .executeTakeFirst(),
  }))
  return (await Promise.all(oldest)).flatMap(({ id, position }) =>
    position ? [sql`webhook_id = ${id} and created_at <= ${position.created_at} and due_at is null`] : [],
  )
}

/** Deletes the secrets before a rotation whose time is over. */
export async function forgetPreviousSecrets({ query, now }: Pick<Database, 'query' | 'now'>): Promise<void> {
  await query
    .updateTable('webhooks')
    .set({ previous_secret: null, previous_until: null })
    .where('previous_until', '<=', now)
    .execute()
}
