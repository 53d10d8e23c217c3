import type { Query } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import type { Static } from '../http/schema.ts'
import { isoTime, isoTimeOrNull } from '../lib/dates.ts'
import { proofOf, storedMethods } from '../sessions/proof-methods.ts'
import { linkedAccountOf, unlinkedIdentityOf } from './identities.ts'
import { eventOf } from './list-security-events.ts'
import { pictureIdIn } from './pictures.ts'
import { profileOf } from './profile.ts'
import { MAX_DATA_ROWS, type UserData } from './user-data-fields.ts'

type Data = Static<typeof UserData>

/**
 * Reads everything that an account has. Secrets and their hashes are left out: a downloaded file must not be a key to
 * the account.
 */
export async function readUserData(query: Query, user: UserRow): Promise<Data> {
  return {
    profile: profileOf(user),
    account: {
      createdAt: isoTime(user.created_at),
      emailVerifiedAt: isoTimeOrNull(user.email_verified_at),
      isSecondFactorRequired: user.second_factor_required === 1,
      role: user.role,
      suspendedUntil: isoTimeOrNull(user.suspended_until),
      suspensionReason: user.suspension_reason,
    },
    pictures: await readPictures(query, user),
    sessions: await readSessions(query, user),
    securityEvents: await readSecurityEvents(query, user),
    ...(await readIdentities(query, user)),
    ...(await readFactors(query, user)),
    ...(await readAddresses(query, user)),
  }
}

async function readPictures(query: Query, { id, avatar }: UserRow): Promise<Data['pictures']> {
  const rows = await query.selectFrom('pictures').select(['id', 'webp']).where('user_id', '=', id).execute()
  return rows.map((row) => ({
    isAvatar: pictureIdIn(avatar) === row.id,
    type: 'image/webp',
    base64: Buffer.from(row.webp).toString('base64'),
  }))
}

async function readSessions(query: Query, { id }: UserRow): Promise<Data['sessions']> {
  const rows = await query
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', id)
    .orderBy('created_at', 'desc')
    .limit(MAX_DATA_ROWS)
    .execute()
  return rows.map((row) => {
    const { authenticatedAt, methods } = proofOf(row)
    return {
      sessionId: row.id,
      authMethod: row.auth_method,
      methods: storedMethods(methods),
      browser: row.browser,
      os: row.os,
      device: row.device,
      ipAddress: row.ip_address,
      clientIp: row.client_ip,
      createdAt: isoTime(row.created_at),
      authenticatedAt: isoTime(authenticatedAt),
      lastActiveAt: isoTime(row.last_active_at),
      expiresAt: isoTime(row.expires_at),
      revokedAt: isoTimeOrNull(row.revoked_at),
    }
  })
}

async function readSecurityEvents(query: Query, { id }: UserRow): Promise<Data['securityEvents']> {
  const rows = await query
    .selectFrom('security_events')
    .selectAll()
    .where('user_id', '=', id)
    .orderBy('created_at', 'desc')
    .orderBy('sequence', 'desc')
    .limit(MAX_DATA_ROWS)
    .execute()
  return rows.map(eventOf)
}

type Identities = Pick<Data, 'linkedAccounts' | 'unlinkedIdentities' | 'knownDevices'>

async function readIdentities(query: Query, { id }: UserRow): Promise<Identities> {
  const linked = await query.selectFrom('linked_accounts').selectAll().where('user_id', '=', id).execute()
  const unlinked = await query.selectFrom('unlinked_identities').selectAll().where('user_id', '=', id).execute()
  return {
    linkedAccounts: linked.map(linkedAccountOf),
    unlinkedIdentities: unlinked.map(unlinkedIdentityOf),
    knownDevices: await query
      .selectFrom('known_devices')
      .select(['browser', 'os'])
      .where('user_id', '=', id)
      .limit(MAX_DATA_ROWS)
      .execute(),
  }
}

type Factors = Pick<Data, 'passkeys' | 'authenticatorApps' | 'recoveryCodesLeft' | 'rememberedBrowsers'>

async function readFactors(query: Query, { id }: UserRow): Promise<Factors> {
  const passkeys = await query.selectFrom('passkeys').selectAll().where('user_id', '=', id).execute()
  const apps = await query.selectFrom('authenticator_apps').selectAll().where('user_id', '=', id).execute()
  const recoveryCodes = await query.selectFrom('recovery_codes').select('user_id').where('user_id', '=', id).execute()
  const browsers = await query
    .selectFrom('remembered_browsers')
    .selectAll()
    .where('user_id', '=', id)
    .limit(MAX_DATA_ROWS)
    .execute()
  return {
    passkeys: passkeys.map(({ name, created_at, last_used_at, is_backed_up }) => ({
      name,
      createdAt: isoTime(created_at),
      lastUsedAt: isoTimeOrNull(last_used_at),
      isBackedUp: is_backed_up === 1,
    })),
    authenticatorApps: apps.map(({ created_at, confirmed_at, last_used_at }) => ({
      createdAt: isoTime(created_at),
      confirmedAt: isoTimeOrNull(confirmed_at),
      lastUsedAt: isoTimeOrNull(last_used_at),
    })),
    recoveryCodesLeft: recoveryCodes.length,
    rememberedBrowsers: browsers.map(({ browser, os, client_ip, created_at, last_used_at, expires_at }) => ({
      browser,
      os,
      ipAddress: client_ip,
      createdAt: isoTime(created_at),
      lastUsedAt: isoTime(last_used_at),
      expiresAt: isoTime(expires_at),
    })),
  }
}

type Addresses = Pick<Data, 'pendingEmailChanges' | 'formerEmails' | 'invitations' | 'waitingMails'>

async function readAddresses(query: Query, { id, email }: UserRow): Promise<Addresses> {
  const pending = await query.selectFrom('email_changes').selectAll().where('user_id', '=', id).execute()
  const undos = await query.selectFrom('email_undos').selectAll().where('user_id', '=', id).execute()
  const invitations = await query.selectFrom('invitations').selectAll().where('user_id', '=', id).execute()
  // Mails to a new address are left out: they would tell whether an account has it.
  const mails = await query
    .selectFrom('outbox')
    .select(['subject', 'created_at'])
    .where('recipient', '=', email)
    .orderBy('created_at', 'desc')
    .limit(MAX_DATA_ROWS)
    .execute()
  return {
    pendingEmailChanges: pending.map((row) => ({ newEmail: row.new_email, createdAt: isoTime(row.created_at) })),
    formerEmails: undos.map((row) => ({ email: row.old_email, undoableUntil: isoTime(row.expires_at) })),
    invitations: invitations.map((row) => ({
      email: row.email,
      createdAt: isoTime(row.created_at),
      usedAt: isoTimeOrNull(row.used_at),
    })),
    waitingMails: mails.map(({ subject, created_at }) => ({ subject, createdAt: isoTime(created_at) })),
  }
}
