import { randomUUID } from 'node:crypto'
import type { Insertable } from 'kysely'
import { nameFromEmail } from '../accounts/new-user.ts'
import { columnsOf } from '../accounts/profile.ts'
import { UNVERIFIED_DAYS } from '../accounts/unverified.ts'
import type { Tables, UsersTable } from '../database/tables.ts'
import { instantOf } from '../http/schema-keywords.ts'
import { DAY_MS } from '../lib/dates.ts'
import { PersonFault } from './foreign-values.ts'
import type { PersonRecord } from './record.ts'

/** The clocks of two machines may differ. */
const CLOCK_TOLERANCE_MS = 10 * 60_000

/** A person as the tables have them. The username is chosen when they are inserted. */
export interface NewPerson {
  line: number
  user: Omit<Insertable<UsersTable>, 'username' | 'username_key'>
  preferredUsername: string
  /** Whether the id is that of the file. */
  hasOwnId: boolean
  identities: Insertable<Tables['linked_accounts']>[]
  unlinkedIdentities: Insertable<Tables['unlinked_identities']>[]
  /** Whether the file makes the person an owner, and they become a member. */
  isDemoted: boolean
}

// The rows of one statement have the same columns, so that these have the defaults of the table.
const DEFAULTS = {
  bio: '',
  address: '',
  city: '',
  state: '',
  country: '',
  zip_code: '',
  social_accounts: '[]',
  theme: 'system',
  font: 'sans',
}

/** The rows of a validated record. `nowMs` is the time by the clock of the database. */
export function rowsFor(
  line: number,
  record: PersonRecord,
  passwordHash: string | null,
  { nowMs, withRoles }: { nowMs: number; withRoles: boolean },
): NewPerson {
  const { email, role = 'member' } = record
  const id = record.id ?? randomUUID()
  const { created, verified } = momentsOf(record, nowMs)
  // Only a verified person can be an owner.
  const isOwner = role === 'owner' && withRoles && verified !== null
  const { dob = null, ...profile } = columnsOf(record)
  return {
    line,
    user: {
      id,
      email,
      email_verified_at: verified,
      password_hash: passwordHash,
      auth_method: record.authMethod ?? 'email',
      ...DEFAULTS,
      ...profile,
      first_name: record.firstName ?? nameFromEmail(email),
      last_name: record.lastName ?? '',
      has_changed_username: record.hasChangedUsername ? 1 : 0,
      avatar: record.avatar ?? '',
      dob,
      created_at: created,
      registered_again: record.registeredAgain ?? 0,
      role: isOwner ? 'owner' : 'member',
      suspended_until: record.suspendedUntil ? moment('suspendedUntil', record.suspendedUntil) : null,
      suspension_reason: record.suspensionReason ?? '',
    },
    preferredUsername: record.username ?? '',
    hasOwnId: record.id !== undefined,
    identities: (record.identities ?? []).map(({ linkedAt, ...identity }) => ({
      ...identity,
      user_id: id,
      linked_at: moment('linkedAt', linkedAt),
    })),
    unlinkedIdentities: (record.unlinkedIdentities ?? []).map(({ unlinkedAt, ...identity }) => ({
      ...identity,
      user_id: id,
      unlinked_at: moment('unlinkedAt', unlinkedAt),
    })),
    isDemoted: role === 'owner' && !isOwner,
  }
}

function momentsOf({ createdAt, emailVerifiedAt, emailVerified }: PersonRecord, nowMs: number) {
  const created = createdAt === undefined ? nowMs : moment('createdAt', createdAt)
  if (created > nowMs + CLOCK_TOLERANCE_MS) throw new PersonFault('createdAt is in the future')
  const verifiedAt = emailVerifiedAt ? moment('emailVerifiedAt', emailVerifiedAt) : created
  if (emailVerifiedAt || (emailVerified && emailVerifiedAt !== null)) return { created, verified: verifiedAt }
  // The clean-up deletes an unverified account this long after its last registration, which would be at once.
  const isOld = created < nowMs - UNVERIFIED_DAYS * DAY_MS
  return { created: isOld ? nowMs : created, verified: null }
}

function moment(name: string, text: string): number {
  const milliseconds = instantOf(text)?.valueOf()
  if (milliseconds === undefined || milliseconds < 0) throw new PersonFault(`${name} is no date since 1970`)
  return milliseconds
}
