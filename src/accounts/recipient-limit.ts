import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { Observer } from '../lib/observer.ts'
import { countHit } from '../limits/count-hits.ts'

/** Counts one mail to an address and returns whether it may be sent. */
export type RecipientLimit = (tx: Tx, recipient: string) => Promise<boolean>

/**
 * Limits the mails with codes to one recipient. Anyone can request a code for any address, so the counter is
 * independent of the client that makes the request.
 */
export function createRecipientLimit(
  config: Config['rateLimits'],
  { now }: Database,
  hash: (text: string) => string,
  observer?: Pick<Observer, 'limited'>,
): RecipientLimit {
  if (!config) return async () => true
  const { count, seconds } = config.mail
  return async (tx, recipient) => {
    const key = hash(JSON.stringify(['mail', recipient]))
    const { hits } = await countHit(tx, now, key, seconds * 1000).executeTakeFirstOrThrow()
    if (hits > count) observer?.limited('mail')
    return hits <= count
  }
}
