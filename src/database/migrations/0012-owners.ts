import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Tables } from '../tables.ts'

/**
 * Roles, suspensions, the audit log, and the indexes for the search of people. Adds a table, indexes, and columns that
 * are nullable or have a default, so that instances of the previous version go on working. Such an instance does not
 * refuse the log-in of a suspended person.
 */
export const owners: Migration = {
  async up(db: Kysely<Tables>) {
    const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
    await db.schema
      .alterTable('users')
      .addColumn('role', 'text', (c) => c.notNull().defaultTo('member'))
      .execute()
    await db.schema.alterTable('users').addColumn('suspended_until', 'bigint').execute()
    await db.schema
      .alterTable('users')
      .addColumn('suspension_reason', 'text', (c) => c.notNull().defaultTo(''))
      .execute()

    await db.schema
      .createTable('owner_actions')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('owner_id', 'text')
      .addColumn('action', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text')
      .addColumn('details', 'text', (c) => c.notNull().defaultTo('{}'))
      .addColumn('browser', 'text', (c) => c.notNull())
      .addColumn('os', 'text', (c) => c.notNull())
      .addColumn('client_ip', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('sequence', 'integer', (c) => c.notNull().defaultTo(0))
      .execute()
    await db.schema
      .createIndex('owner_actions_order')
      .on('owner_actions')
      .columns(['created_at', 'sequence', 'id'])
      .execute()
    await db.schema
      .createIndex('owner_actions_user')
      .on('owner_actions')
      .columns(['user_id', 'created_at', 'sequence', 'id'])
      .execute()
    await (isPostgres ? refuseChangesOnPostgres(db) : refuseChangesOnSqlite(db))

    await db.schema.createIndex('users_created').on('users').columns(['created_at', 'id']).execute()
    // Partial indexes: few accounts are owners or suspended.
    await sql`create index users_owners on users (created_at, id) where role = 'owner'`.execute(db)
    await sql`create index users_suspended on users (created_at, id) where suspended_until is not null`.execute(db)
    // A search by prefix is a range of the index in the order of the bytes, which PostgreSQL calls collation "C".
    const collate = isPostgres ? sql` collate "C"` : sql``
    const searched = {
      email: sql`email`,
      username: sql`username_key`,
      name: sql`lower(first_name || ' ' || last_name)`,
      last_name: sql`lower(last_name)`,
    }
    for (const [name, value] of Object.entries(searched)) {
      await sql`create index ${sql.ref(`users_search_${name}`)} on users ((${value})${collate}, id)`.execute(db)
    }
  },
}

async function refuseChangesOnSqlite(db: Kysely<Tables>): Promise<void> {
  for (const change of ['update', 'delete']) {
    await sql`create trigger ${sql.ref(`owner_actions_no_${change}`)} before ${sql.raw(change)} on owner_actions
      begin select raise(abort, 'owner_actions is append-only'); end`.execute(db)
  }
}

async function refuseChangesOnPostgres(db: Kysely<Tables>): Promise<void> {
  await sql`create or replace function refuse_change() returns trigger language plpgsql as
    $$ begin raise exception '% is append-only', tg_table_name; end $$`.execute(db)
  await sql`create trigger owner_actions_no_change before update or delete on owner_actions
    for each row execute function refuse_change()`.execute(db)
  await sql`create trigger owner_actions_no_truncate before truncate on owner_actions
    for each statement execute function refuse_change()`.execute(db)
}
