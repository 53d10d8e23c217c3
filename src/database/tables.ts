import type { Generated, Selectable } from 'kysely'
import type { AuthMethod, ProviderName, Role, SessionMethod } from './enumerations.ts'
import type { ActivityCountsTable, InstancesTable } from './health-tables.ts'
import type { InvitationsTable, OwnerActionsTable, SiteSettingsTable } from './owner-tables.ts'
import type { SecurityEventType } from './security-event-types.ts'
import type { WebhookDeliveriesTable, WebhooksTable } from './webhook-tables.ts'

// Values are the same on both engines: identifiers are text, times are milliseconds since 1970, flags are 0 or 1.

export interface Tables {
  users: UsersTable
  sessions: SessionsTable
  known_devices: KnownDevicesTable
  codes: CodesTable
  security_events: SecurityEventsTable
  outbox: OutboxTable
  rate_limits: RateLimitsTable
  signing_keys: SigningKeysTable
  secrets: SecretsTable
  handshakes: HandshakesTable
  linked_accounts: LinkedAccountsTable
  unlinked_identities: UnlinkedIdentitiesTable
  saved_content: SavedContentTable
  pictures: PicturesTable
  authenticator_apps: AuthenticatorAppsTable
  recovery_codes: RecoveryCodesTable
  second_factor_challenges: SecondFactorChallengesTable
  remembered_browsers: RememberedBrowsersTable
  passkeys: PasskeysTable
  passkey_handles: PasskeyHandlesTable
  used_challenges: UsedChallengesTable
  email_changes: EmailChangesTable
  email_undos: EmailUndosTable
  owner_actions: OwnerActionsTable
  site_settings: SiteSettingsTable
  invitations: InvitationsTable
  webhooks: WebhooksTable
  webhook_deliveries: WebhookDeliveriesTable
  activity_counts: ActivityCountsTable
  instances: InstancesTable
}

type Flag = 0 | 1

export interface UsersTable {
  id: string
  email: string
  email_verified_at: number | null
  /** Null while the account has no password. */
  password_hash: string | null
  auth_method: AuthMethod
  first_name: string
  last_name: string
  username: string
  /** The username in lower case. The unique index is on this column. */
  username_key: string
  has_changed_username: Generated<Flag>
  avatar: Generated<string>
  bio: Generated<string>
  address: Generated<string>
  city: Generated<string>
  state: Generated<string>
  country: Generated<string>
  zip_code: Generated<string>
  /** A JSON array of { provider, url }. */
  social_accounts: Generated<string>
  theme: Generated<string>
  font: Generated<string>
  dob: string | null
  /** For an unverified account, the time of its last registration. */
  created_at: number
  /** How many times an unverified account was registered again. Different people may have made these registrations. */
  registered_again: Generated<number>
  /** Wrong six-digit codes entered since the last correct code or link. */
  wrong_codes: Generated<number>
  /** Whether a sign-in needs a second factor. */
  second_factor_required: Generated<Flag>
  role: Generated<Role>
  /**
   * Until this time no session starts. Null for an account that was never suspended, or whose suspension was lifted.
   */
  suspended_until: number | null
  /** The text that the suspended person reads. */
  suspension_reason: Generated<string>
}

/** All columns of `users`. Prepared queries must name their columns (see `Database.prepare`). */
export const USER_COLUMNS = [
  'id',
  'email',
  'email_verified_at',
  'password_hash',
  'auth_method',
  'first_name',
  'last_name',
  'username',
  'username_key',
  'has_changed_username',
  'avatar',
  'bio',
  'address',
  'city',
  'state',
  'country',
  'zip_code',
  'social_accounts',
  'theme',
  'font',
  'dob',
  'created_at',
  'registered_again',
  'wrong_codes',
  'second_factor_required',
  'role',
  'suspended_until',
  'suspension_reason',
] as const satisfies (keyof UsersTable)[]

interface SessionsTable {
  id: string
  user_id: string
  auth_method: SessionMethod
  browser: string
  os: string
  device: string
  /** The value of `X-Forwarded-For` or `X-Real-IP` in the request, which any client can set. */
  ip_address: string
  /** The IP address that the request came from. Null for a session older than this column. */
  client_ip: string | null
  created_at: number
  last_active_at: number
  expires_at: number
  revoked_at: number | null
  /** The `jti` of the current refresh token. */
  refresh_id: string
  /** The `jti` of the refresh token that the current one replaced. */
  previous_refresh_id: string | null
  rotated_at: number
  /** When the user last proved their identity. Null in a row that a version without this column wrote. */
  authenticated_at: number | null
  /** How the user has proved it in this session: values of `amr` (RFC 8176), separated by spaces. Null as above. */
  auth_methods: string | null
}

/** Browsers and operating systems that an account has signed in from. The user gets a mail about a new one. */
interface KnownDevicesTable {
  user_id: string
  browser: string
  os: string
}

export interface CodesTable {
  user_id: string
  purpose: 'verification' | 'reset' | 'log-in' | 'reauthentication' | 'email-change'
  /** A hash of the six-digit code. `tries_left` and `expires_at` belong to that code. */
  hash: string
  tries_left: number
  expires_at: number
  /** A hash of the token in the mailed link. Null in a row written by a version without links. */
  token_hash: string | null
  token_expires_at: Generated<number>
}

interface SecurityEventsTable {
  id: string
  user_id: string
  session_id: string | null
  type: SecurityEventType
  browser: string
  os: string
  device: string
  ip_address: string
  created_at: number
  /** Orders the events that one instance wrote within the same millisecond. */
  sequence: number
}

export interface OutboxTable {
  id: string
  recipient: string
  subject: string
  text_body: string
  html_body: string
  created_at: number
  attempts: Generated<number>
  /** When delivery may next be tried. An instance that is sending the mail moves this time ahead: a lease. */
  due_at: number
  /** After this time the mail is not sent: a code in it, for example, has expired. */
  expires_at: number | null
  /** Set when delivery has failed permanently. */
  failed_at: number | null
  last_error: string | null
}

interface RateLimitsTable {
  /** A keyed hash of the counter's name, so that the table contains no account and no address. */
  key: string
  hits: number
  resets_at: number
}

interface SigningKeysTable {
  kid: string
  private_jwk: string
  created_at: number
  retired_at: number | null
  /**
   * From this time on, tokens that only the service reads are authenticated by a MAC. The time is in the future while
   * instances of an older version, which cannot verify a MAC, may be running.
   */
  macs_from: Generated<number>
}

interface SecretsTable {
  name: string
  value: string
}

/**
 * A pending authorization request to a provider (RFC 6749, section 4.1.1): a sign-in that has begun and not finished.
 */
interface HandshakesTable {
  /** A hash of the `state` parameter, which passes through the browser. */
  key: string
  /** A hash of the cookie that binds the request to one browser. */
  browser: string
  provider: ProviderName
  code_verifier: string
  nonce: string
  return_to: string
  /** The account to link the identity to, and the session that began the linking. Null for a sign-in. */
  user_id: string | null
  session_id: string | null
  expires_at: number
}

/** An identity at a provider, and the account that it signs in to. */
interface LinkedAccountsTable {
  provider: ProviderName
  issuer: string
  subject: string
  user_id: string
  /** The username at the provider, which the account pages show to the user. */
  username: string
  linked_at: number
}

/** An identity that the user has unlinked. It cannot sign in until the user has signed in and linked it again. */
interface UnlinkedIdentitiesTable {
  provider: ProviderName
  issuer: string
  subject: string
  user_id: string
  unlinked_at: number
}

/** Content that survives a restart: the contribution calendar, and code that was highlighted. */
interface SavedContentTable {
  name: string
  value: string
  saved_at: number
}

/** Uploaded avatars. */
interface PicturesTable {
  id: string
  user_id: string
  webp: Uint8Array
  /** Null while the picture is the avatar of its account. */
  unused_since: number | null
}

/** One authenticator app for each account (RFC 6238). */
interface AuthenticatorAppsTable {
  user_id: string
  /** The shared secret, encrypted by `proofs/secret-box.ts`. */
  secret: string
  /** Null until the user has entered a first correct code. Until then no code of the app is accepted. */
  confirmed_at: number | null
  /** The time step of the last accepted code. No code of this step or an earlier one is accepted. */
  last_step: Generated<number>
  /** Wrong codes since the last correct proof of a second factor. */
  wrong_codes: Generated<number>
  created_at: number
  last_used_at: number | null
}

/** The recovery codes that are left. Using a code deletes its row. */
interface RecoveryCodesTable {
  user_id: string
  hash: string
}

/** A sign-in whose first factor is proven and whose second one is not. */
interface SecondFactorChallengesTable {
  /** A hash of the token that the client has. */
  key: string
  user_id: string
  auth_method: SessionMethod
  /** The proven methods, as in `sessions`. */
  auth_methods: string
  tries_left: number
  expires_at: number
}

/** Browsers that the user lets sign in without the second factor. */
interface RememberedBrowsersTable {
  id: string
  user_id: string
  /** A hash of the token in the cookie. */
  token_hash: string
  browser: string
  os: string
  client_ip: string
  created_at: number
  last_used_at: number
  expires_at: number
}

/** WebAuthn credentials. */
interface PasskeysTable {
  /** The credential id, in base64url. */
  id: string
  user_id: string
  name: string
  /** The COSE key (RFC 9052, section 7), in base64url. */
  public_key: string
  sign_count: number
  /** A JSON array of the transports that the authenticator has named. */
  transports: string
  /** Whether the passkey is synchronised by its provider. */
  is_backed_up: Flag
  aaguid: string
  created_at: number
  last_used_at: number | null
}

/** The random user handle of an account (WebAuthn Level 3, section 14.6.1). */
interface PasskeyHandlesTable {
  user_id: string
  handle: string
}

/** WebAuthn challenges that were used. They are valid for minutes, so the rows are deleted soon. */
interface UsedChallengesTable {
  key: string
  expires_at: number
}

/** A new e-mail address that is not confirmed. Its code is in `codes`. */
interface EmailChangesTable {
  user_id: string
  new_email: string
  created_at: number
}

/** A replaced e-mail address, and the mailed token that brings it back. */
interface EmailUndosTable {
  token_hash: string
  user_id: string
  old_email: string
  expires_at: number
}

export type UserRow = Selectable<UsersTable>
