import assert from 'node:assert/strict'
import { once } from 'node:events'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import { runProgram, startChild } from './child.ts'
import { type CleanedUp, temporaryFolder } from './clean-up.ts'
import { freePort } from './local-servers.ts'
import type { Service } from './service.ts'
import { eventually } from './site.ts'

const ROOT = join(import.meta.dirname, '../..')

/** The source of a released version from its tag, with the packages of this version, which include those it needs. */
export async function checkOutRelease(test: CleanedUp, tag: string): Promise<string> {
  const folder = await temporaryFolder(test)
  const archive = join(folder, 'release.tar')
  await runProgram(test, 'git', ['-C', ROOT, 'archive', '--output', archive, tag]).catch((error) => {
    throw new Error(`This clone has no tag ${tag}: run "git fetch --tags" (${error.message.trim()})`)
  })
  await runProgram(test, 'tar', ['-C', folder, '-xf', archive])
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

export interface RunningRelease {
  url: string
  output(): string
  stop(): Promise<void>
}

/** The service of a released version, when it is ready. */
export async function startRelease(
  test: CleanedUp,
  folder: string,
  env: Record<string, string>,
): Promise<RunningRelease> {
  const port = await freePort()
  // Versions without commands ignore `serve`.
  const child = startChild(test, process.execPath, [join(folder, 'src/main.js'), 'serve'], {
    cwd: env.DATA_DIR,
    env: { PATH: process.env.PATH, PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const url = `http://127.0.0.1:${port}`
  await eventually(async () => assert.equal((await fetch(`${url}/readyz`)).status, 200, output))
  return {
    url,
    output: () => output,
    async stop() {
      const ended = once(child, 'close')
      child.kill()
      await ended
    },
  }
}

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
