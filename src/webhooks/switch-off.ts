import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import { DAY_MS } from '../lib/dates.ts'
import type { Messages } from '../mail/messages.ts'
import type { Outbox } from '../mail/outbox.ts'

/** A webhook that has failed for this long, without a success, is switched off. */
export const MAX_FAILING_MS = 3 * DAY_MS

/** Switches a webhook off that has failed for so long, and mails the owners. Returns whether it did. */
export async function switchOff(
  tx: Tx,
  { database: { now }, outbox, messages }: { database: Database; outbox: Outbox; messages: Messages },
  webhookId: string,
  { afterMs, reason }: { afterMs: number; reason: string },
): Promise<boolean> {
  const webhook = await tx
    .updateTable('webhooks')
    .set({ disabled_at: now })
    .where('id', '=', webhookId)
    .where('disabled_at', 'is', null)
    .where('failing_since', '<=', (eb) => eb(now, '-', afterMs))
    .returning('url')
    .executeTakeFirst()
  if (!webhook) return false
  const owners = await tx.selectFrom('users').select(['email', 'first_name']).where('role', '=', 'owner').execute()
  // The path of the URL may contain a secret of the receiver.
  const { host } = new URL(webhook.url)
  for (const { email, first_name } of owners)
    await outbox.enqueue(tx, email, messages.webhookSwitchedOff(first_name, { host, id: webhookId, reason }))
  return true
}
