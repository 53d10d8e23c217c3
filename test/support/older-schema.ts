import { type RawBuilder, sql } from 'kysely'
import type { Service } from './service.ts'

const TABLES = [
  'authenticator_apps',
  'recovery_codes',
  'second_factor_challenges',
  'remembered_browsers',
  'passkeys',
  'passkey_handles',
  'used_challenges',
  'email_changes',
  'email_undos',
]

const OWNER_INDEXES = [
  'created',
  'owners',
  'suspended',
  'search_email',
  'search_username',
  'search_name',
  'search_last_name',
]

/** Puts the database into the state before the migration 0015-health. */
async function undoHealth(service: Service): Promise<void> {
  await runAll(service, [
    sql`drop table activity_counts`,
    sql`drop table instances`,
    sql`drop index outbox_failed`,
    sql`delete from kysely_migration where name = '0015-health'`,
  ])
}

/** Puts the database into the state before the migration 0014-webhooks. */
async function undoWebhooks(service: Service): Promise<void> {
  await undoHealth(service)
  await runAll(service, [
    sql`drop table webhook_deliveries`,
    sql`drop table webhooks`,
    sql`delete from kysely_migration where name = '0014-webhooks'`,
  ])
}

/** Puts the database into the state before the migration 0012-owners. */
async function undoOwners(service: Service): Promise<void> {
  await undoWebhooks(service)
  await runAll(service, [
    sql`drop table invitations`,
    sql`drop table site_settings`,
    sql`delete from kysely_migration where name = '0013-registration'`,
    sql`drop table owner_actions`,
    ...(service.portico.database.name === 'postgres' ? [sql`drop function refuse_change()`] : []),
    ...OWNER_INDEXES.map((name) => sql`drop index ${sql.ref(`users_${name}`)}`),
    sql`alter table users drop column role`,
    sql`alter table users drop column suspended_until`,
    sql`alter table users drop column suspension_reason`,
    sql`delete from kysely_migration where name = '0012-owners'`,
  ])
}

/** Puts the database into the state before the migration 0011-proofs-of-identity. */
export async function undoProofsOfIdentity(service: Service): Promise<void> {
  await undoOwners(service)
  await runAll(service, [
    ...TABLES.map((table) => sql`drop table ${sql.table(table)}`),
    sql`alter table sessions drop column authenticated_at`,
    sql`alter table sessions drop column auth_methods`,
    sql`alter table users drop column second_factor_required`,
    sql`delete from secrets where name = 'encryption-key'`,
    sql`delete from kysely_migration where name = '0011-proofs-of-identity'`,
  ])
}

/** Puts the database into the state before the migration 0010-cheap-refresh. */
export async function undoCheapRefresh(service: Service): Promise<void> {
  await undoProofsOfIdentity(service)
  await runAll(service, [
    sql`create index sessions_expiry on sessions (expires_at)`,
    sql`create index rate_limits_expiry on rate_limits (resets_at)`,
    sql`alter table signing_keys drop column macs_from`,
    sql`delete from kysely_migration where name = '0010-cheap-refresh'`,
  ])
}

async function runAll({ portico: { database } }: Service, statements: RawBuilder<unknown>[]): Promise<void> {
  for (const statement of statements) await statement.execute(database.query)
}
