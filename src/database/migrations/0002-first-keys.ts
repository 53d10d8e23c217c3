import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { newSigningKey } from '../signing-key.ts'
import type { Tables } from '../tables.ts'

/** Creates the first keys in a migration, because a migration runs once however many instances start. */
export const firstKeys: Migration = {
  async up(db: Kysely<Tables>) {
    await db
      .insertInto('signing_keys')
      .values({ ...newSigningKey(), created_at: Date.now() })
      .execute()
    await db
      .insertInto('secrets')
      .values({ name: 'hash-key', value: randomBytes(32).toString('base64url') })
      .execute()
  },
}
