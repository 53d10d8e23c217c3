import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { createApp } from '../../src/app.ts'
import { type Config, readConfig } from '../../src/config/config.ts'
import { ConfigError } from '../../src/config/config-error.ts'
import { parseDotEnv } from '../../src/config/dot-env.ts'
import { tcpListener } from '../../src/http/listener.ts'
import { createLog } from '../../src/logging/log.ts'
import { assemble, type Portico } from '../../src/portico.ts'
import { type CleanedUp, cleanUp, removeFolder, suiteCleanUp } from './clean-up.ts'
import { copySqliteDatabase, NEW_SITE_TEMPLATE } from './databases.ts'

/**
 * The timeout of the database in tests. With the timeout of the service, a starved process would respond with 503 where a
 * test is about something else. Tests about the timeout pass one of their own.
 */
export const TEST_DATABASE_TIMEOUT_MS = 60_000

export type EngineName = 'sqlite' | 'postgres'
export const ENGINES: EngineName[] = ['sqlite', 'postgres']

export interface Service {
  url: string
  portico: Portico
  /** Lets time pass: moves every time in the database into the past. Signed tokens keep their times. */
  advanceTime(time: { seconds?: number; minutes?: number; hours?: number; days?: number }): Promise<void>
  close(): Promise<void>
}

/** The settings of a database of its own, which is that of a new site, and a function that drops it. */
export async function freshDatabase(engine: EngineName) {
  const database = await createDatabase(engine, NEW_SITE_TEMPLATE)
  if (engine === 'sqlite') await copySqliteDatabase(database.env.DATA_DIR)
  return database
}

async function createDatabase(engine: EngineName, template = 'template1') {
  const folder = await mkdtemp(join(tmpdir(), 'portico-test-'))
  const env: { DATA_DIR: string } & Record<string, string> = { DATA_DIR: folder }
  const name = `test_${randomUUID().replaceAll('-', '')}`
  if (engine === 'postgres') {
    await onServer(`create database ${name} template ${template}`)
    env.DATABASE_URL = `${process.env.TEST_POSTGRES_URL}/${name}`
  }
  return {
    env,
    async drop() {
      if (engine === 'postgres') await onServer(`drop database if exists ${name} with (force)`)
      await removeFolder(folder)
    },
  }
}

/** The settings of an empty database that is dropped when the test is over. */
export async function temporaryDatabase(test: CleanedUp, engine: EngineName): Promise<Record<string, string>> {
  const { env, drop } = await createDatabase(engine)
  cleanUp(test, drop)
  return env
}

/** A whole service in this process, on a free port and the database of a new site. */
export async function startService(
  engine: EngineName,
  settings: Record<string, string> = {},
  options: ServiceOptions = {},
): Promise<Service> {
  const database = await freshDatabase(engine)
  const service = await startOn({ ...database.env, ...settings }, options)
  return {
    ...service,
    async close() {
      try {
        await service.close()
      } finally {
        await database.drop()
      }
    },
  }
}

interface ServiceOptions {
  log?: Portico['log']
  databaseTimeoutMs?: number
}

/** Another instance on an existing database. */
export async function startOn(
  env: Record<string, string>,
  { log, databaseTimeoutMs }: ServiceOptions = {},
): Promise<Service> {
  const settings = readConfig({
    // Set explicitly, so that a test may give the service a public address.
    NODE_ENV: 'test',
    PORT: '0',
    BASE_URL: 'http://localhost:3000',
    LOG_LEVEL: 'silent',
    // No content except that of the test.
    CONTENT_DIR: join(env.DATA_DIR ?? '', 'content'),
    ...env,
  })
  const config = withDatabaseTimeout(settings, databaseTimeoutMs)
  const portico = await assemble(config, log ?? createLog(config))
  let app: ReturnType<typeof createApp> | undefined = createApp(portico)
  const url = await app.server.listen(tcpListener({ host: '127.0.0.1', port: config.port }))
  await app.openSite()
  return {
    url,
    portico,
    advanceTime: ({ seconds = 0, minutes = 0, hours = 0, days = 0 }) =>
      moveIntoThePast(portico, (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000),
    async close() {
      if (!app) return
      await app.server.close()
      await portico.close()
      // The test runner keeps the functions of ended suites in memory, and with them the services that they refer to.
      app = undefined
      for (const part of Object.keys(portico)) Reflect.deleteProperty(portico, part)
    },
  }
}

/** The configuration with another database timeout, for which there is no setting. */
export function withDatabaseTimeout(config: Config, timeoutMs = TEST_DATABASE_TIMEOUT_MS): Config {
  return { ...config, database: { ...config.database, timeoutMs } }
}

const MOMENTS = {
  users: ['created_at', 'email_verified_at'],
  sessions: ['created_at', 'last_active_at', 'expires_at', 'revoked_at', 'rotated_at', 'authenticated_at'],
  codes: ['expires_at', 'token_expires_at'],
  security_events: ['created_at'],
  outbox: ['created_at', 'due_at', 'expires_at', 'failed_at'],
  rate_limits: ['resets_at'],
  signing_keys: ['created_at', 'retired_at', 'macs_from'],
  handshakes: ['expires_at'],
  linked_accounts: ['linked_at'],
  unlinked_identities: ['unlinked_at'],
  pictures: ['unused_since'],
  authenticator_apps: ['confirmed_at', 'created_at', 'last_used_at'],
  second_factor_challenges: ['expires_at'],
  remembered_browsers: ['created_at', 'last_used_at', 'expires_at'],
  passkeys: ['created_at', 'last_used_at'],
  used_challenges: ['expires_at'],
  email_changes: ['created_at'],
  email_undos: ['expires_at'],
  site_settings: ['changed_at'],
  invitations: ['created_at', 'expires_at', 'used_at', 'revoked_at'],
  webhooks: ['created_at', 'previous_until', 'disabled_at', 'failing_since', 'paused_until'],
  webhook_deliveries: ['created_at', 'due_at', 'delivered_at'],
  instances: ['started_at', 'seen_at'],
}

async function moveIntoThePast({ database }: Portico, milliseconds: number): Promise<void> {
  // `last_step` counts steps of 30 seconds.
  await database.query
    .updateTable('authenticator_apps')
    .set((eb) => ({ last_step: eb('last_step', '-', Math.floor(milliseconds / 30_000)) }))
    .execute()
  for (const [table, columns] of Object.entries(MOMENTS)) {
    const changes = columns.map((column) => sql`${sql.ref(column)} = ${sql.ref(column)} - ${milliseconds}`)
    await sql`update ${sql.table(table)} set ${sql.join(changes)}`.execute(database.query)
  }
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${process.env.TEST_POSTGRES_URL}/postgres` })
  await client.connect()
  await client.query(statement)
  await client.end()
}

type Facts = (service: Service, engine: EngineName) => void

/**
 * Runs the same tests against a service on SQLite and against one on PostgreSQL. `service` is a stand-in that the
 * tests may close over: it becomes the running service before the first of them starts.
 */
export function onBothEngines(facts: Facts, settings: Record<string, string> = {}): void {
  onEngines(ENGINES, facts, settings)
}

/** As `onBothEngines`, for what happens before any statement of the database: parsing, validation and headers. */
export function onSqlite(facts: Facts, settings: Record<string, string> = {}): void {
  onEngines(['sqlite'], facts, settings)
}

function onEngines(engines: EngineName[], facts: Facts, settings: Record<string, string>): void {
  for (const engine of engines) {
    describe(`on ${engine}`, () => {
      const service = {} as Service
      const suite = suiteCleanUp()
      before(async () => {
        Object.assign(service, await startService(engine, settings))
        cleanUp(suite, () => service.close())
      })
      facts(service, engine)
    })
  }
}

/** A service whose log lines are collected. */
export async function startLoggedService(engine: EngineName, settings: Record<string, string> = {}) {
  const lines: Record<string, unknown>[] = []
  const database = await freshDatabase(engine)
  const log = logTo((line) => lines.push(JSON.parse(line)))
  const service = await startOn({ ...database.env, ...settings }, { log })
  return {
    ...service,
    lines,
    async close() {
      try {
        await service.close()
      } finally {
        await database.drop()
      }
    },
  }
}

interface Options {
  logFormat?: 'json' | 'pretty'
  logLevel?: 'debug' | 'info'
  worker?: number | undefined
}

/** A log that passes on each line at once. */
export function logTo(take: (line: string) => void, { logFormat = 'json', logLevel = 'info', worker }: Options = {}) {
  const output = { write: take, flush: (done: () => void) => done(), onDropped: () => {} }
  return createLog({ logFormat, logLevel }, worker, output)
}

export const SECRET = 'hunter2-is-my-secret'
export const PRODUCTION = {
  NODE_ENV: 'production',
  BASE_URL: 'https://site.example',
  SMTP_URL: 'smtp://mail.example.com',
}

/** The configuration errors, one per line. */
export function configErrorsOf(env: Record<string, string>, dotEnv = ''): string[] {
  try {
    readConfig(env, parseDotEnv(dotEnv))
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error))
    assert.ok(!error.message.includes(SECRET), error.message)
    return error.message.split('\n').slice(1)
  }
  return []
}
