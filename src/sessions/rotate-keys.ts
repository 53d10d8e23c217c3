import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { newSigningKey } from '../database/signing-key.ts'

/**
 * Creates a signing key and retires the old ones. Running instances load the new key within a minute and sign with it
 * one minute after that, when all of them have loaded it. Tokens that were signed with a retired key stay valid until
 * they expire, so no user is signed out.
 */
export async function rotateSigningKeys(database: Database): Promise<{ kid: string }> {
  const key = newSigningKey()
  await database.transaction(async (tx) => {
    await tx.updateTable('signing_keys').set({ retired_at: database.now }).where('retired_at', 'is', null).execute()
    await tx
      .insertInto('signing_keys')
      .values((eb) => ({
        ...key,
        created_at: database.now,
        // The new key issues MACs from the same time on as the old ones: instances of the previous version cannot
        // verify MACs.
        macs_from: eb
          .selectFrom('signing_keys')
          .select((eb) => eb.fn.coalesce(eb.fn.max('macs_from'), sql.lit(0)).as('macs_from')),
      }))
      .execute()
  })
  return { kid: key.kid }
}
