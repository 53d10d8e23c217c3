import type { Selectable } from 'kysely'
import { linkedAccountOf, unlinkedIdentityOf } from '../accounts/identities.ts'
import { profileOf } from '../accounts/profile.ts'
import type { Tables, UserRow } from '../database/tables.ts'
import { isoTime, isoTimeOrNull } from '../lib/dates.ts'
import type { PersonRecord } from './record.ts'

type Linked = Selectable<Tables['linked_accounts']>
type Unlinked = Selectable<Tables['unlinked_identities']>

/** The record of an account, in the order of `PersonRecord`. Empty fields are left out. */
export function recordOf(user: UserRow, linked: Linked[], unlinked: Unlinked[]): PersonRecord {
  const profile = profileOf(user)
  return withoutEmpty({
    id: user.id,
    email: user.email,
    emailVerifiedAt: isoTimeOrNull(user.email_verified_at),
    createdAt: isoTime(user.created_at),
    firstName: user.first_name,
    lastName: user.last_name,
    bio: user.bio,
    location: withoutEmpty(profile.location),
    socialAccounts: profile.socialAccounts,
    preferences: profile.preferences,
    dob: user.dob,
    username: user.username,
    hasChangedUsername: profile.hasChangedUsername,
    authMethod: user.auth_method,
    avatar: user.avatar,
    role: user.role,
    suspendedUntil: isoTimeOrNull(user.suspended_until),
    suspensionReason: user.suspension_reason,
    registeredAgain: user.registered_again,
    passwordHash: user.password_hash,
    identities: linked.map(linkedAccountOf),
    unlinkedIdentities: unlinked.map(unlinkedIdentityOf),
  }) as PersonRecord
}

function withoutEmpty(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isEmpty(value)))
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === '' || value === 0 || value === false) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
