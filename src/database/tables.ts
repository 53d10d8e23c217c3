import type { Generated, Selectable } from 'kysely'
import type { SecurityEventType } from './security-event-types.ts'

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
}

type Flag = 0 | 1
export const PROVIDER_NAMES = ['codehost', 'idp'] as const
export type ProviderName = (typeof PROVIDER_NAMES)[number]
export const AUTH_METHODS = ['email', ...PROVIDER_NAMES] as const
export type AuthMethod = (typeof AUTH_METHODS)[number]

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
] as const satisfies (keyof UsersTable)[]

interface SessionsTable {
  id: string
  user_id: string
  auth_method: AuthMethod
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
}

/** Browsers and operating systems that an account has signed in from. The owner gets a mail about a new one. */
interface KnownDevicesTable {
  user_id: string
  browser: string
  os: string
}

export interface CodesTable {
  user_id: string
  purpose: 'verification' | 'reset'
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

/** A sign-in at a provider that has begun and not finished. */
interface HandshakesTable {
  /** A hash of the `state` parameter, which passes through the browser. */
  key: string
  /** A hash of the cookie that binds the handshake to one browser. */
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
  /** The username at the provider, shown to the owner. */
  username: string
  linked_at: number
}

/** An identity that its owner has unlinked. It cannot sign in until the signed-in owner has linked it again. */
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

export type UserRow = Selectable<UsersTable>
