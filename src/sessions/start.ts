import { randomUUID } from 'node:crypto'
import type { ExpressionBuilder } from 'kysely'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { Role, SessionMethod } from '../database/enumerations.ts'
import type { Tables, UserRow } from '../database/tables.ts'
import { recordEvent } from '../events/security-events.ts'
import type { WebhookEvents } from '../events/webhook-events.ts'
import type { ClientInfo, ReadClientInfo } from '../http/client-info.ts'
import type { Messages } from '../mail/messages.ts'
import type { Outbox } from '../mail/outbox.ts'
import { endOfSession } from './lifetime.ts'
import { type Proof, type ProofMethod, storedMethods } from './proof-methods.ts'
import { refuseSuspended } from './suspension.ts'
import { REFRESH_SECONDS, type Tokens } from './tokens.ts'

export interface SessionParts {
  config: Pick<Config, 'sessionLifetimeMs'>
  database: Database
  tokens: Tokens
  outbox: Outbox
  messages: Messages
  webhookEvents: WebhookEvents
  clientInfoOf: ReadClientInfo
}

type SessionAccount = Pick<UserRow, 'id' | 'email' | 'first_name' | 'role' | 'suspended_until' | 'suspension_reason'>

export interface ActiveSession extends Proof {
  userId: string
  sessionId: string
  refreshId: string
  rotatedAt: number
  /** The time at which the session expires unless it is refreshed. */
  expiresAt: number
  role: Role
}

/**
 * Starts a session, in the transaction that has verified the credentials against the locked account. Throws if the
 * account is suspended.
 */
export async function startSession(
  tx: Tx,
  { config, database, outbox, messages, webhookEvents }: SessionParts,
  account: SessionAccount,
  authMethod: SessionMethod,
  methods: ProofMethod[],
  clientInfo: ClientInfo,
): Promise<ActiveSession> {
  const { now } = database
  await refuseSuspended(tx, now, account)
  const { browser, os, device, ipAddress, clientIp } = clientInfo
  const session = await tx
    .insertInto('sessions')
    .values((eb) => ({
      id: randomUUID(),
      user_id: account.id,
      auth_method: authMethod,
      browser,
      os,
      device,
      ip_address: ipAddress,
      client_ip: clientIp,
      created_at: now,
      last_active_at: now,
      expires_at: eb(now, '+', REFRESH_SECONDS * 1000),
      revoked_at: null,
      refresh_id: randomUUID(),
      previous_refresh_id: null,
      rotated_at: now,
      authenticated_at: now,
      auth_methods: storedMethods(methods),
    }))
    // The statement also reads whether more rows are to be written. Most sign-ins write none, and then each of these
    // subqueries saves a round trip to the database.
    .returning((eb) => [
      'id',
      'refresh_id',
      'rotated_at',
      endOfSession(config.sessionLifetimeMs).as('ends_at'),
      webhookEvents.hasSubscriber('session.started').as('is_webhook_event'),
      eb.exists(selectDevice(eb, account.id, clientInfo)).as('is_known_device'),
    ])
    .executeTakeFirstOrThrow()
  await recordEvent(tx, now, { type: 'session.started', userId: account.id, sessionId: session.id, clientInfo })
  if (session.is_webhook_event) {
    const data = { userId: account.id, email: account.email, sessionId: session.id, method: authMethod }
    await webhookEvents.enqueue(tx, 'session.started', data)
  }
  if (!session.is_known_device && (await isNewDevice(tx, account.id, clientInfo))) {
    await outbox.enqueue(tx, account.email, messages.newDevice(account.first_name, clientInfo))
  }
  return {
    userId: account.id,
    sessionId: session.id,
    refreshId: session.refresh_id,
    rotatedAt: session.rotated_at,
    expiresAt: session.ends_at,
    authenticatedAt: session.rotated_at,
    methods,
    role: account.role,
  }
}

function selectDevice(eb: ExpressionBuilder<Tables, 'sessions'>, userId: string, { family }: ClientInfo) {
  return eb
    .selectFrom('known_devices')
    .select('known_devices.user_id')
    .where((device) => device.and({ 'known_devices.user_id': userId, ...family }))
}

/** Stores the device of a sign-in and returns whether it is new. The first one of an account does not count as new. */
async function isNewDevice(tx: Tx, userId: string, { family }: ClientInfo): Promise<boolean> {
  const added = await tx
    .insertInto('known_devices')
    .values({ user_id: userId, ...family })
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst()
  if (!added) return false
  const { devices } = await tx
    .selectFrom('known_devices')
    .select((eb) => eb.fn.countAll<number>().as('devices'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return devices > 1
}

export function tokenPair(tokens: Tokens, session: ActiveSession) {
  const { rotatedAt, expiresAt } = session
  return { accessToken: tokens.issueAccess(session), refreshToken: tokens.issueRefresh(session, rotatedAt, expiresAt) }
}
