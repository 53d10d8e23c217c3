import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import { countHit } from '../http/count-hits.ts'

/** Counts one more mail to an address, whoever causes it, and tells whether it may be sent. */
export type RecipientLimit = (tx: Tx, recipient: string) => Promise<boolean>

/** Strangers can cause mails with codes to any address: this bounds how many arrive there. */
export function createRecipientLimit(
  config: Config['rateLimits'],
  { now }: Database,
  hash: (text: string) => string,
): RecipientLimit {
  if (!config) return async () => true
  const { count, seconds } = config.mail
  return async (tx, recipient) => {
    const key = hash(JSON.stringify(['mail', recipient]))
    const { hits } = await countHit(tx, now, key, seconds * 1000).executeTakeFirstOrThrow()
    return hits <= count
  }
}
