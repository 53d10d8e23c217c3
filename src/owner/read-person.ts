import { eventOf, SecurityEvent } from '../accounts/list-security-events.ts'
import { AUTH_METHODS } from '../database/enumerations.ts'
import {
  Browser,
  Device,
  IpAddress,
  OperatingSystem,
  SAMPLE_TIME,
  SessionId,
  SessionMethod,
  Time,
} from '../http/fields.ts'
import { Refusal } from '../http/refusal.ts'
import { nullable, oneOf, Type } from '../http/schema.ts'
import { isoTime, isoTimeOrNull } from '../lib/dates.ts'
import { meansOf } from '../proofs/means.ts'
import { endOfSession } from '../sessions/lifetime.ts'
import { unknownPerson } from './lock-person.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'
import { PERSON_COLUMNS, Person, PersonId, personOf } from './person.ts'

const MAX_SESSIONS = 50
const MAX_EVENTS = 50
const MAX_MAILS = 20

const PersonSession = Type.Object(
  {
    sessionId: SessionId,
    authMethod: SessionMethod,
    browser: Browser,
    os: OperatingSystem,
    device: Device,
    clientIp: nullable(IpAddress),
    createdAt: Time,
    lastActiveAt: Time,
  },
  { title: 'PersonSession' },
)

const WaitingMail = Type.Object(
  {
    mailId: Type.String({ examples: ['0d2f8f63-51a7-4c1c-9d5e-7b0f3c1a2e44'] }),
    subject: Type.String({ examples: ['Your code for Example'] }),
    attempts: Type.Integer({ examples: [1] }),
    createdAt: Time,
    failedAt: nullable(Type.String({ ...Time, examples: [SAMPLE_TIME] })),
    lastError: nullable(Type.String({ examples: ['The mail server does not respond'] })),
  },
  { title: 'WaitingMail' },
)

export function readPerson(parts: OwnerParts) {
  const { config, database } = parts
  const { query, now } = database
  return ownerOperation(parts, {
    id: 'readPerson',
    summary: 'Read a person with sessions, ways to sign in, events and mails',
    message: 'Person retrieved successfully',
    description: `Active sessions, at most ${MAX_SESSIONS}; the newest ${MAX_EVENTS} security events; mails that are not delivered yet, without their text.`,
    query: Type.Object({ userId: PersonId }),
    data: Type.Object(
      {
        person: Person,
        waysToSignIn: Type.Array(
          Type.String({ description: 'Such as password, passkey or mailed-code', examples: ['password'] }),
        ),
        providers: Type.Array(oneOf(AUTH_METHODS, { examples: ['codehost'] })),
        sessions: Type.Array(PersonSession),
        events: Type.Array(SecurityEvent),
        mails: Type.Array(WaitingMail),
      },
      { title: 'PersonDetails' },
    ),
    refusals: [unknownPerson],
    async run({ query: { userId } }) {
      const row = await query.selectFrom('users').select(PERSON_COLUMNS).where('id', '=', userId).executeTakeFirst()
      if (!row) throw new Refusal(unknownPerson)
      const sessions = await query
        .selectFrom('sessions')
        .select(['id', 'auth_method', 'browser', 'os', 'device', 'client_ip', 'created_at', 'last_active_at'])
        .where('user_id', '=', userId)
        .where('revoked_at', 'is', null)
        .where(endOfSession(config.sessionLifetimeMs), '>', now)
        .orderBy('last_active_at', 'desc')
        .limit(MAX_SESSIONS)
        .execute()
      const events = await query
        .selectFrom('security_events')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('created_at', 'desc')
        .orderBy('sequence', 'desc')
        .limit(MAX_EVENTS)
        .execute()
      const mails = await query
        .selectFrom('outbox')
        .select(['id', 'subject', 'attempts', 'created_at', 'failed_at', 'last_error'])
        .where('recipient', '=', row.email)
        .orderBy('created_at', 'desc')
        .limit(MAX_MAILS)
        .execute()
      const linked = await query
        .selectFrom('linked_accounts')
        .select('provider')
        .distinct()
        .where('user_id', '=', userId)
        .execute()
      return {
        data: {
          person: personOf(row),
          waysToSignIn: await meansOf(query, row),
          providers: linked.map(({ provider }) => provider),
          sessions: sessions.map((session) => ({
            sessionId: session.id,
            authMethod: session.auth_method,
            browser: session.browser,
            os: session.os,
            device: session.device,
            clientIp: session.client_ip,
            createdAt: isoTime(session.created_at),
            lastActiveAt: isoTime(session.last_active_at),
          })),
          events: events.map(eventOf),
          mails: mails.map(({ id, subject, attempts, created_at, failed_at, last_error }) => ({
            mailId: id,
            subject,
            attempts,
            createdAt: isoTime(created_at),
            failedAt: isoTimeOrNull(failed_at),
            lastError: last_error,
          })),
        },
      }
    },
  })
}
