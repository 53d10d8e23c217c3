import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Tables } from '../tables.ts'

/**
 * Re-authentication, second factors, passkeys and the change of the e-mail address. Adds tables, and columns that are
 * nullable or have a default, so that instances of the previous version go on working. A session that such an instance
 * starts has neither authenticated_at nor auth_methods.
 */
export const proofsOfIdentity: Migration = {
  async up(db: Kysely<Tables>) {
    await db.schema.alterTable('sessions').addColumn('authenticated_at', 'bigint').execute()
    await db.schema.alterTable('sessions').addColumn('auth_methods', 'text').execute()
    await db.schema
      .alterTable('users')
      .addColumn('second_factor_required', 'integer', (c) => c.notNull().defaultTo(0))
      .execute()

    await db.schema
      .createTable('authenticator_apps')
      .addColumn('user_id', 'text', (c) => c.primaryKey().references('users.id').onDelete('cascade'))
      .addColumn('secret', 'text', (c) => c.notNull())
      .addColumn('confirmed_at', 'bigint')
      .addColumn('last_step', 'bigint', (c) => c.notNull().defaultTo(0))
      .addColumn('wrong_codes', 'integer', (c) => c.notNull().defaultTo(0))
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('last_used_at', 'bigint')
      .execute()

    await db.schema
      .createTable('recovery_codes')
      .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('hash', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('recovery_codes_key', ['user_id', 'hash'])
      .execute()

    await db.schema
      .createTable('second_factor_challenges')
      .addColumn('key', 'text', (c) => c.primaryKey())
      .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('auth_method', 'text', (c) => c.notNull())
      .addColumn('auth_methods', 'text', (c) => c.notNull())
      .addColumn('tries_left', 'integer', (c) => c.notNull())
      .addColumn('expires_at', 'bigint', (c) => c.notNull())
      .execute()

    await db.schema
      .createTable('remembered_browsers')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('token_hash', 'text', (c) => c.notNull().unique())
      .addColumn('browser', 'text', (c) => c.notNull())
      .addColumn('os', 'text', (c) => c.notNull())
      .addColumn('client_ip', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('last_used_at', 'bigint', (c) => c.notNull())
      .addColumn('expires_at', 'bigint', (c) => c.notNull())
      .execute()

    await db.schema
      .createTable('passkeys')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('public_key', 'text', (c) => c.notNull())
      .addColumn('sign_count', 'bigint', (c) => c.notNull())
      .addColumn('transports', 'text', (c) => c.notNull())
      .addColumn('is_backed_up', 'integer', (c) => c.notNull())
      .addColumn('aaguid', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('last_used_at', 'bigint')
      .execute()

    await db.schema
      .createTable('passkey_handles')
      .addColumn('user_id', 'text', (c) => c.primaryKey().references('users.id').onDelete('cascade'))
      .addColumn('handle', 'text', (c) => c.notNull().unique())
      .execute()

    await db.schema
      .createTable('used_challenges')
      .addColumn('key', 'text', (c) => c.primaryKey())
      .addColumn('expires_at', 'bigint', (c) => c.notNull())
      .execute()

    await db.schema
      .createTable('email_changes')
      .addColumn('user_id', 'text', (c) => c.primaryKey().references('users.id').onDelete('cascade'))
      .addColumn('new_email', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .execute()

    await db.schema
      .createTable('email_undos')
      .addColumn('token_hash', 'text', (c) => c.primaryKey())
      .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('old_email', 'text', (c) => c.notNull())
      .addColumn('expires_at', 'bigint', (c) => c.notNull())
      .execute()

    const indexes = [
      ['second_factor_challenges', 'user_id'],
      ['second_factor_challenges', 'expires_at'],
      ['remembered_browsers', 'user_id'],
      ['remembered_browsers', 'expires_at'],
      ['passkeys', 'user_id'],
      ['used_challenges', 'expires_at'],
      ['email_undos', 'user_id'],
      ['email_undos', 'old_email'],
      ['email_undos', 'expires_at'],
    ] as const
    for (const [table, column] of indexes) {
      await db.schema.createIndex(`${table}_${column}`).on(table).column(column).execute()
    }

    await db
      .insertInto('secrets')
      .values({ name: 'encryption-key', value: randomBytes(32).toString('base64url') })
      .execute()
  },
}
