import type { Generated, Selectable } from 'kysely'
import type { SecurityEventType } from './security-event-types.ts'

// Both engines hold the same values: identifiers and texts as text, times as milliseconds since 1970, flags as 0 or 1.

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

export type Flag = 0 | 1
export const PROVIDER_NAMES = ['codehost', 'idp'] as const
export type ProviderName = (typeof PROVIDER_NAMES)[number]
export const AUTH_METHODS = ['email', ...PROVIDER_NAMES] as const
export type AuthMethod = (typeof AUTH_METHODS)[number]

export interface UsersTable {
  id: string
  email: string
  email_verified_at: number | null
  /** Null for an account that has only ever signed in through a provider. */
  password_hash: string | null
  auth_method: AuthMethod
  first_name: string
  last_name: string
  username: string
  /** The username in lower case: what uniqueness is decided by. */
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
  /** For an unverified account: when it was last registered. */
  created_at: number
  /** 1 when an unverified account was registered a second time: the two registrations may be of different people. */
  registered_again: Generated<number>
  /** How many wrong digits were compared since the last right code or link. */
  wrong_codes: Generated<number>
}

/** Every column, by name: see `prepare`. */
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

export interface SessionsTable {
  id: string
  user_id: string
  auth_method: AuthMethod
  browser: string
  os: string
  device: string
  /** What the request said of itself. */
  ip_address: string
  /** The address the request came from. Null for a session that began before this was stored. */
  client_ip: string | null
  created_at: number
  last_active_at: number
  expires_at: number
  revoked_at: number | null
  /** The `jti` of the only refresh token that may be exchanged now, and of the one it replaced. */
  refresh_id: string
  previous_refresh_id: string | null
  rotated_at: number
}

/** Browser and system families that an account has signed in from; a new one is told to the owner. */
export interface KnownDevicesTable {
  user_id: string
  browser: string
  os: string
}

export interface CodesTable {
  user_id: string
  purpose: 'verification' | 'reset'
  /** Of the six digits, with the tries and the lifetime of the digits. */
  hash: string
  tries_left: number
  expires_at: number
  /** Of the token in the mailed link, with its lifetime. Null in a row of a version without links. */
  token_hash: string | null
  token_expires_at: Generated<number>
}

export interface SecurityEventsTable {
  id: string
  user_id: string
  session_id: string | null
  type: SecurityEventType
  browser: string
  os: string
  device: string
  ip_address: string
  created_at: number
  /** Tells apart what one instance wrote within the same millisecond. */
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
  /** When it may be tried next; moved ahead while an instance is sending it. */
  due_at: number
  /** After this moment the mail has no use any more (a code that ran out) and is dropped. */
  expires_at: number | null
  /** Set when it was given up for good. */
  failed_at: number | null
  last_error: string | null
}

export interface RateLimitsTable {
  /** A keyed hash: the table never names an account or an address. */
  key: string
  hits: number
  resets_at: number
}

export interface SigningKeysTable {
  kid: string
  private_jwk: string
  created_at: number
  retired_at: number | null
  /** From when on tokens that only the service reads carry a MAC: later than now while instances may run that know none. */
  macs_from: Generated<number>
}

export interface SecretsTable {
  name: string
  value: string
}

/** A sign-in that has left for its provider and is expected back. */
export interface HandshakesTable {
  /** Hashes, as both travel through the browser. */
  key: string
  browser: string
  provider: ProviderName
  code_verifier: string
  nonce: string
  return_to: string
  /** The account that links the identity, and the session that began it. Null for a sign-in. */
  user_id: string | null
  session_id: string | null
  expires_at: number
}

/** An identity at a provider that signs in to an account. */
export interface LinkedAccountsTable {
  provider: ProviderName
  issuer: string
  subject: string
  user_id: string
  /** What the person is called there, to recognise it by. */
  username: string
  linked_at: number
}

/** An identity that its owner has unlinked. It signs in again only after the signed-in owner has linked it again. */
export interface UnlinkedIdentitiesTable {
  provider: ProviderName
  issuer: string
  subject: string
  user_id: string
  unlinked_at: number
}

/** What was fetched from elsewhere and is worth keeping over a restart. */
export interface SavedContentTable {
  name: string
  value: string
  saved_at: number
}

/** Avatars that were uploaded. */
export interface PicturesTable {
  id: string
  user_id: string
  webp: Uint8Array
  /** Null while it is the avatar of its account. */
  unused_since: number | null
}

export type UserRow = Selectable<UsersTable>
