import { Email, HttpUrl, line, Username } from '../accounts/fields.ts'
import { ProfileChange } from '../accounts/profile.ts'
import { AUTH_METHODS, PROVIDER_NAMES, ROLES } from '../database/enumerations.ts'
import { NO_NUL, SAMPLE_TIME, SAMPLE_UUID } from '../http/fields.ts'
import { nullable, oneOf, type Static, Type } from '../http/schema.ts'
import { ISO_DATE } from '../http/schema-keywords.ts'

const MAX_IDENTITIES = 20
const MAX_HASH_CHARACTERS = 1024

const Moment = Type.String({
  pattern: ISO_DATE,
  maxLength: 40,
  'x-message': 'Must be a date and time in ISO 8601',
  description: 'A date and time in ISO 8601, in UTC if it has no zone',
  examples: [SAMPLE_TIME],
})

const Identity = Type.Object({
  provider: oneOf(PROVIDER_NAMES),
  issuer: Type.String({ maxLength: 2048, ...NO_NUL, examples: ['https://id.example.com'] }),
  subject: Type.String({ minLength: 1, maxLength: 255, ...NO_NUL, examples: ['248289761001'] }),
})

/**
 * A person in a file of `people import` and `people export`. Everything but the address may be missing. The order of
 * the properties is that of the export, of which `docs/pages/reference/people-file.md` has the meaning.
 */
export const PersonRecord = Type.Object({
  id: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
      'x-message': 'Id must be a UUID in lower case',
      examples: [SAMPLE_UUID],
    }),
  ),
  email: Email,
  emailVerifiedAt: Type.Optional(nullable(Moment)),
  emailVerified: Type.Optional(Type.Boolean()),
  createdAt: Type.Optional(Moment),
  ...ProfileChange.properties,
  username: Type.Optional(Type.String({ ...Username, pattern: '^[^\\x00]*$', minLength: 0, maxLength: 255 })),
  hasChangedUsername: Type.Optional(Type.Boolean()),
  authMethod: Type.Optional(oneOf(AUTH_METHODS)),
  avatar: Type.Optional(HttpUrl),
  role: Type.Optional(oneOf(ROLES)),
  suspendedUntil: Type.Optional(nullable(Moment)),
  suspensionReason: Type.Optional(line(200, 'Unsolicited advertising')),
  registeredAgain: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })),
  passwordHash: Type.Optional(nullable(Type.String({ maxLength: MAX_HASH_CHARACTERS }))),
  identities: Type.Optional(
    Type.Array(
      Type.Object({ ...Identity.properties, username: Type.String({ maxLength: 255, ...NO_NUL }), linkedAt: Moment }),
      { maxItems: MAX_IDENTITIES },
    ),
  ),
  unlinkedIdentities: Type.Optional(
    Type.Array(Type.Object({ ...Identity.properties, unlinkedAt: Moment }), { maxItems: MAX_IDENTITIES }),
  ),
})
export type PersonRecord = Static<typeof PersonRecord>

export const RECORD_FIELDS = Object.keys(PersonRecord.properties)
