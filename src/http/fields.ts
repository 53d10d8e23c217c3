import { AUTH_METHODS, ROLES, SESSION_METHODS } from '../database/enumerations.ts'
import { constantNames } from './openapi-components.ts'
import { oneOf, Type } from './schema.ts'

// Schemas of fields that many responses share, with their values in the examples of the API description.

export const SAMPLE_TIME = '2026-11-16T09:30:00.000Z'
export const SAMPLE_UUID = '0d2f8f63-51a7-4c1c-9d5e-7b0f3c1a2e44'
export const SAMPLE_EMAIL = 'ada@example.com'
const SAMPLE_SESSION = 'b7e1a0c2-3f54-4a7e-8c19-5d2e6f90ab13'

export const Time = Type.String({ format: 'date-time', examples: [SAMPLE_TIME] })
export const Uuid = Type.String({ format: 'uuid', examples: [SAMPLE_UUID] })
export const SessionId = Type.String({ format: 'uuid', examples: [SAMPLE_SESSION] })
export const SessionReference = Type.Object({ sessionId: SessionId }, { title: 'SessionReference' })
export const AuthMethod = oneOf(AUTH_METHODS, { title: 'AuthMethod' })
export const SessionMethod = oneOf(SESSION_METHODS, {
  title: 'SessionMethod',
  ...constantNames(SESSION_METHODS, 'Session'),
})
export const Role = oneOf(ROLES, { title: 'Role', examples: ['member'] })
export const UserId = Type.String({ examples: ['3f6c1b52-8a0e-4d7b-9f21-c4e5d6a7b809'] })
export const StoredEmail = Type.String({ examples: [SAMPLE_EMAIL] })
export const FirstName = Type.String({ examples: ['Ada'] })
export const FamilyName = Type.String({ examples: ['Lovelace'] })
export const StoredUsername = Type.String({ examples: ['ada.lovelace'] })
export const Browser = Type.String({ examples: ['Firefox 143.0'] })
export const OperatingSystem = Type.String({ examples: ['Linux'] })
export const Device = Type.String({ examples: ['Desktop'] })
export const IpAddress = Type.String({ examples: ['203.0.113.7'] })
export const AccessToken = Type.String({
  description: 'A JWT, good for 15 minutes',
  examples: ['eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIzZjZjMWI1MiJ9.c2ln'],
})
export const RefreshToken = Type.String({
  description: 'Works once',
  examples: ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIzZjZjMWI1MiJ9.c2ln'],
})

/** The pattern of every text that is stored. PostgreSQL cannot store NUL (PostgreSQL manual, "Character Types"). */
export const NO_NUL = { pattern: '^[^\\x00]*$', 'x-pattern-words': 'no NUL character' }

/** The rules of an id in a request. `format` is not validated: an id that is no UUID is an unknown id. */
export const GIVEN_ID = { format: 'uuid', maxLength: 64, ...NO_NUL }
