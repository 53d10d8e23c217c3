import type { UserRow } from '../database/tables.ts'
import {
  AuthMethod,
  FamilyName,
  FirstName,
  GIVEN_ID,
  Role,
  SAMPLE_TIME,
  StoredEmail,
  StoredUsername,
  Time,
} from '../http/fields.ts'
import { nullable, type Static, Type } from '../http/schema.ts'
import { isoTime, isoTimeOrNull } from '../lib/dates.ts'

export const PersonId = Type.String({
  ...GIVEN_ID,
  'x-message': 'User id must be a UUID',
  examples: ['3f6c1b52-8a0e-4d7b-9f21-c4e5d6a7b809'],
})

/** A person as a list shows them. */
export const Person = Type.Object(
  {
    userId: PersonId,
    email: StoredEmail,
    isVerified: Type.Boolean({ examples: [true] }),
    firstName: FirstName,
    lastName: FamilyName,
    username: StoredUsername,
    avatar: Type.String({ examples: [''] }),
    role: Role,
    authMethod: AuthMethod,
    hasPassword: Type.Boolean({ examples: [true] }),
    hasSecondFactor: Type.Boolean({ description: 'Whether a sign-in needs a second factor', examples: [false] }),
    createdAt: Time,
    suspendedUntil: nullable(
      Type.String({
        ...Time,
        description: 'When the suspension ends or has ended. Null without one',
        examples: [SAMPLE_TIME],
      }),
    ),
    suspensionReason: Type.String({ examples: ['Unsolicited advertising'] }),
  },
  { title: 'Person' },
)

/** The columns that `personOf` reads. */
export const PERSON_COLUMNS = [
  'id',
  'email',
  'email_verified_at',
  'first_name',
  'last_name',
  'username',
  'username_key',
  'avatar',
  'role',
  'auth_method',
  'password_hash',
  'second_factor_required',
  'created_at',
  'suspended_until',
  'suspension_reason',
] as const satisfies (keyof UserRow)[]

export type PersonRow = Pick<UserRow, (typeof PERSON_COLUMNS)[number]>

export function personOf(row: PersonRow): Static<typeof Person> {
  return {
    userId: row.id,
    email: row.email,
    isVerified: row.email_verified_at !== null,
    firstName: row.first_name,
    lastName: row.last_name,
    username: row.username,
    avatar: row.avatar,
    role: row.role,
    authMethod: row.auth_method,
    hasPassword: row.password_hash !== null,
    hasSecondFactor: row.second_factor_required === 1,
    createdAt: isoTime(row.created_at),
    suspendedUntil: isoTimeOrNull(row.suspended_until),
    suspensionReason: row.suspension_reason,
  }
}
