import { sql } from 'kysely'
import { loadConfig } from './config/config.ts'
import { openDatabase } from './database/database.ts'
import { newSigningKey } from './database/signing-key.ts'
import { createLog } from './logging/log.ts'
import { explained } from './process/start-failure.ts'

// `npm run rotate-keys`: makes a new key. Running instances learn of it within a minute and sign with it a minute later,
// when all of them know it. Tokens signed with the old ones stay good until they expire: nobody is signed out.
const rotateKeys = explained(async () => {
  const config = loadConfig()
  const database = await openDatabase(config.database, createLog(config))
  const key = newSigningKey()
  await database.transaction(async (tx) => {
    await tx.updateTable('signing_keys').set({ retired_at: database.now }).where('retired_at', 'is', null).execute()
    await tx
      .insertInto('signing_keys')
      .values((eb) => ({
        ...key,
        created_at: database.now,
        // While instances of the previous version may run, the new key issues no MACs either.
        macs_from: eb
          .selectFrom('signing_keys')
          .select((eb) => eb.fn.coalesce(eb.fn.max('macs_from'), sql.lit(0)).as('macs_from')),
      }))
      .execute()
  })
  await database.close()
  process.stdout.write(`Within two minutes, new tokens will be signed with key ${key.kid}\n`)
})
await rotateKeys()
