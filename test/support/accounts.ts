import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { hashPassword } from '../../src/accounts/password-hash.ts'
import type { ProviderName } from '../../src/database/enumerations.ts'
import type { ClientInfo } from '../../src/http/client-info.ts'
import { startSession, tokenPair } from '../../src/sessions/start.ts'
import {
  type ApiResponse,
  assertRefused,
  assertSucceeded,
  type CallOptions,
  type Credentials,
  codeFor,
  del,
  get,
  newEmail,
  PASSWORD,
  type Person,
  post,
  registration,
} from './api.ts'
import type { Service } from './service.ts'
import { areHashesReal } from './test-speed.ts'

export const NEW_PASSWORD = 'Brand-New-Horse-8'

/** An account that is not verified yet, and the code that was mailed for it. */
export async function register(service: Service, overrides: Record<string, unknown> = {}) {
  const body = registration(overrides)
  const response = await post(service, '/api/create-account', body)
  assertSucceeded(response, 201)
  const { userId, email }: { userId: string; email: string } = response.body.data
  return { ...body, userId, email, code: await codeFor(service, email) }
}

export const verify = (service: Service, email: string, verificationCode: string, options?: CallOptions) =>
  post(service, '/api/email-verification', { email, verificationCode }, options)

/** Requests another verification code and reads it from the mail. */
export async function newVerificationCode(service: Service, email: string): Promise<string> {
  assertSucceeded(await post(service, '/api/email-verification/resend', { email }))
  return codeFor(service, email)
}

/** Requests a reset code and reads it from the mail. */
export async function newResetCode(service: Service, email: string): Promise<string> {
  assertSucceeded(await post(service, '/api/forgot-password', { email }))
  return codeFor(service, email)
}

export const reset = (service: Service, email: string, resetToken: string, password = NEW_PASSWORD) =>
  post(service, '/api/reset-password', { email, resetToken, password, confirmPassword: password })

export const tryLogIn = (service: { url: string }, email: string, password: string, options?: CallOptions) =>
  post(service, '/api/log-in', { email, password }, options)

/** A code of the right form that is certainly wrong. */
export function otherThan(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0')
}

/** Turns the account into one that has only ever signed in through a provider. */
export async function removePassword({ portico }: Service, email: string): Promise<void> {
  await portico.database.query.updateTable('users').set({ password_hash: null }).where('email', '=', email).execute()
}

export async function assertAlive(service: Service, person: Person): Promise<void> {
  assertSucceeded(await get(service, '/api/user-details', { as: person }))
}

/** Neither token of the session is accepted any more. */
export async function assertEnded(service: Service, person: Person): Promise<void> {
  assertRefused(await get(service, '/api/user-details', { as: person }), 401)
  assertRefused(await tryRefresh(service, person), 401, 'Invalid or expired refresh token')
}

export const tryRefresh = (service: Service, { refreshToken, sessionId }: Person) =>
  post(service, '/api/auth/refresh-token', { refreshToken }, { headers: { 'x-session-id': sessionId } })

/** The number of sessions that the account has ever had. */
export async function countSessions({ portico: { database } }: Service, userId: string): Promise<number> {
  const rows = await database.query.selectFrom('sessions').select('id').where('user_id', '=', userId).execute()
  return rows.length
}

// Headers that differ between any two responses.
const OF_THE_MOMENT = ['date', 'x-request-id']

/** The responses are indistinguishable: same status, headers and body, except for the address in the request. */
export function assertAlike(...asked: { email: string; response: ApiResponse }[]): void {
  const [first, ...others] = asked.map(({ email, response: { status, headers, body } }) => ({
    status,
    headers: [...headers].filter(([name]) => !OF_THE_MOMENT.includes(name)),
    body: JSON.parse(JSON.stringify({ ...body, timestamp: '', requestId: '' }).replaceAll(email, 'EMAIL')),
  }))
  for (const other of others) assert.deepEqual(other, first)
}

/** The columns of an account that is neither an owner's nor suspended. */
export const MEMBER = { role: 'member' as const, suspended_until: null, suspension_reason: '' }

/** The hash of PASSWORD at the current cost. */
function sharedHash(): Promise<string> {
  const isReal = areHashesReal()
  const hash = sharedHashes.get(isReal) ?? hashPassword(PASSWORD)
  sharedHashes.set(isReal, hash)
  return hash
}

const sharedHashes = new Map<boolean, Promise<string>>()

/** Many verified and signed-in people. They share one password hash, which saves the time of registering each. */
export async function crowd({ portico }: Pick<Service, 'portico'>, size: number): Promise<Person[]> {
  const { database, tokens } = portico
  const hash = await sharedHash()
  const sessions = await database.transaction(async (tx) => {
    const started = []
    for (let number = 0; number < size; number++) {
      const username = `c${randomUUID().slice(0, 12)}`
      const owner = { id: randomUUID(), email: newEmail(), first_name: 'Ada', ...MEMBER }
      await tx
        .insertInto('users')
        .values({
          ...owner,
          last_name: 'Lovelace',
          email_verified_at: database.now,
          password_hash: hash,
          auth_method: 'email',
          username,
          username_key: username,
          created_at: database.now,
        })
        .execute()
      started.push({
        email: owner.email,
        session: await startSession(tx, portico, owner, 'email', ['pwd'], TEST_CLIENT_INFO),
      })
    }
    return started
  })
  return sessions.map(({ email, session }) => ({
    email,
    password: PASSWORD,
    userId: session.userId,
    sessionId: session.sessionId,
    ...tokenPair(tokens, session),
  }))
}

export async function someone(service: Pick<Service, 'portico'>): Promise<Person> {
  const [person] = await crowd(service, 1)
  if (!person) throw new Error('no account was created')
  return person
}

export async function ownProfile(service: { url: string }, as: Credentials) {
  const response = await get(service, '/api/user-details', { as })
  assertSucceeded(response)
  return response.body.data.user
}

/** The same session with the tokens that its refresh token was exchanged for. */
export async function refreshed(service: Service, person: Person): Promise<Person> {
  const response = await tryRefresh(service, person)
  assertSucceeded(response)
  const { accessToken, refreshToken } = response.body.data
  return { ...person, accessToken, refreshToken }
}

export interface ListedSession {
  sessionId: string
  createdAt: string
  authenticatedAt: string
  methods: string[]
  lastActiveAt: string
  revokedAt: string | null
  isCurrent: boolean
}

export async function listSessions(service: { url: string }, as: Person): Promise<ListedSession[]> {
  const response = await get(service, '/api/sessions', { as })
  assertSucceeded(response)
  assert.deepEqual(Object.keys(response.body.data), ['sessions'])
  return response.body.data.sessions
}

/** One session as the user's own session list shows it. */
export async function listedSession(service: { url: string }, as: Person, { sessionId }: Person) {
  const found = (await listSessions(service, as)).find((session) => session.sessionId === sessionId)
  assert.ok(found, `session ${sessionId} is not listed`)
  return found
}

export function assertNow(moment: string | null): void {
  assert.ok(Math.abs(Date.parse(moment ?? '') - Date.now()) < 60_000, `${moment} is not now`)
}

export interface ListedLink {
  provider: ProviderName
  username: string
  linkedAt: string
}

export async function linkedAccounts(service: { url: string }, as: Credentials): Promise<ListedLink[]> {
  const response = await get(service, '/api/linked-accounts', { as })
  assertSucceeded(response)
  return response.body.data.linkedAccounts
}

/** The providers of an account in alphabetical order. */
export async function linkedProviders(service: { url: string }, as: Credentials): Promise<string[]> {
  return (await linkedAccounts(service, as)).map(({ provider }) => provider).sort()
}

export const unlink = (service: { url: string }, provider: unknown, as?: Credentials): Promise<ApiResponse> =>
  del(service, '/api/linked-accounts', { provider }, { as })

/** The number of accounts with this address. */
export async function countAccounts({ portico: { database } }: Service, email: string): Promise<number> {
  const rows = await database.query.selectFrom('users').select('id').where('email', '=', email).execute()
  return rows.length
}

/**
 * All rows of all tables, after the outbox is empty and failed log-ins are recorded. Times of last activity are left
 * out because using a session changes them.
 */
export async function everythingStored({ portico: { database, deliveryWorker, refusedProofs } }: Service) {
  await refusedProofs.idle()
  await deliveryWorker.idle()
  const tables = await database.query.introspection.getTables()
  const contents = tables.map(async ({ name }) => {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(database.query)
    return [name, rows.map(({ last_active_at: _, ...row }) => JSON.stringify(row)).sort()] as const
  })
  return Object.fromEntries(await Promise.all(contents))
}

/** The number of rows of each table that refer to the person. */
export async function rowsNaming(
  { portico: { database, deliveryWorker } }: Service,
  person: { userId: string; email: string },
) {
  await deliveryWorker.idle()
  const count = async (table: 'users' | 'outbox' | (typeof OWNED)[number], column: string, value: string) => {
    const { rows } = await sql`select 1 from ${sql.table(table)} where ${sql.ref(column)} = ${value}`.execute(
      database.query,
    )
    return [table, rows.length] as const
  }
  return Object.fromEntries(
    await Promise.all([
      count('users', 'id', person.userId),
      count('outbox', 'recipient', person.email),
      ...OWNED.map((table) => count(table, 'user_id', person.userId)),
    ]),
  )
}

const OWNED = ['sessions', 'known_devices', 'codes', 'security_events'] as const

/** The tables that have a row with one of the texts. */
export async function tablesNaming(service: Service, ...texts: string[]): Promise<string[]> {
  const tables = Object.entries(await everythingStored(service))
  const isNaming = (row: string) => texts.some((text) => row.includes(text))
  return tables.flatMap(([name, rows]) => (rows.some(isNaming) ? [name] : [])).sort()
}

/** The client of a session or an event that a test inserts directly. */
export const TEST_CLIENT_INFO: ClientInfo = {
  browser: 'Test 1',
  os: 'Test',
  device: 'Desktop',
  ipAddress: 'unknown',
  clientIp: '192.0.2.1',
  family: { browser: 'Test', os: 'Test' },
  program: 'Unknown program',
}
