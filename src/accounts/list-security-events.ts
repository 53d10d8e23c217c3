import type { Database } from '../database/database.ts'
import type { Arg } from '../database/prepared.ts'
import { SECURITY_EVENT_TYPES, SECURITY_EVENTS, type SecurityEventType } from '../database/security-event-types.ts'
import { Browser, Device, IpAddress, OperatingSystem, SAMPLE_UUID, SessionId, Time, Uuid } from '../http/fields.ts'
import { operation } from '../http/operation.ts'
import { nullable, oneOf, type Static, Type } from '../http/schema.ts'
import { isoTime } from '../lib/dates.ts'

const SAMPLE_CURSOR = `1794821400000.7.${SAMPLE_UUID}`

export const SecurityEvent = Type.Object(
  {
    id: Uuid,
    type: oneOf(SECURITY_EVENT_TYPES, {
      title: 'SecurityEventType',
      description: 'A stable name for programs',
      examples: ['session.started'],
    }),
    description: Type.String({ description: 'The same for people', examples: ['Signed in'] }),
    sessionId: nullable(SessionId),
    browser: Browser,
    os: OperatingSystem,
    device: Device,
    ipAddress: IpAddress,
    createdAt: Time,
  },
  { title: 'SecurityEvent' },
)

export const SecurityEvents = Type.Object(
  {
    events: Type.Array(SecurityEvent),
    nextBefore: nullable(Type.String({ description: 'Null on the last page', examples: [SAMPLE_CURSOR] })),
  },
  { title: 'SecurityEventList' },
)

/** The sort key of an event. A page begins after the position of its cursor (keyset pagination). */
interface Position {
  created_at: number
  sequence: number
  id: string
}

const NEWEST: Position = { created_at: Number.MAX_SAFE_INTEGER, sequence: 0, id: '' }

export function listSecurityEvents({ database }: { database: Database }) {
  const findEvents = database.prepare(
    (query, userId: Arg<string>, createdAt: Arg<number>, sequence: Arg<number>, id: Arg<string>, limit: Arg<number>) =>
      query
        .selectFrom('security_events')
        .select(['id', 'type', 'session_id', 'browser', 'os', 'device', 'ip_address', 'created_at', 'sequence'])
        .where('user_id', '=', userId)
        .where((eb) => eb(eb.refTuple('created_at', 'sequence', 'id'), '<', eb.tuple(createdAt, sequence, id)))
        .orderBy('created_at', 'desc')
        .orderBy('sequence', 'desc')
        .orderBy('id', 'desc')
        .limit(limit),
  )

  return operation({
    id: 'listSecurityEvents',
    summary: 'Read what happened to your account, newest first',
    message: 'Security events retrieved successfully',
    query: Type.Object({
      limit: Type.Integer({
        minimum: 1,
        maximum: 100,
        default: 50,
        'x-message': 'Limit must be from 1 to 100',
      }),
      before: Type.Optional(
        Type.String({ pattern: CURSOR, description: 'nextBefore of the page before', examples: [SAMPLE_CURSOR] }),
      ),
    }),
    data: SecurityEvents,
    links: {
      next: {
        operationId: 'listSecurityEvents',
        description: 'The next page, unless nextBefore is null',
        parameters: { before: '$response.body#/data/nextBefore' },
      },
    },
    async handle({ query: { limit, before }, caller }) {
      // One row more than the limit shows whether there is a next page.
      const { created_at, sequence, id } = before === undefined ? NEWEST : positionOf(before)
      const rows = await findEvents(caller.userId, created_at, sequence, id, limit + 1)
      const events = rows.slice(0, limit).map(eventOf)
      const last = rows.length > limit ? rows[limit - 1] : undefined
      const nextBefore = last ? cursorOf(last) : null
      return { data: { events, nextBefore } }
    },
  })
}

interface EventRow {
  id: string
  type: SecurityEventType
  session_id: string | null
  browser: string
  os: string
  device: string
  ip_address: string
  created_at: number
}

export function eventOf(row: EventRow): Static<typeof SecurityEvent> {
  return {
    id: row.id,
    type: row.type,
    description: SECURITY_EVENTS[row.type],
    sessionId: row.session_id,
    browser: row.browser,
    os: row.os,
    device: row.device,
    ipAddress: row.ip_address,
    createdAt: isoTime(row.created_at),
  }
}

const CURSOR = '^[0-9]{1,15}[.][0-9]{1,9}[.][0-9a-f-]{36}$'

function cursorOf({ created_at, sequence, id }: Position): string {
  return `${created_at}.${sequence}.${id}`
}

function positionOf(cursor: string): Position {
  const [created_at, sequence, id = ''] = cursor.split('.')
  return { created_at: Number(created_at), sequence: Number(sequence), id }
}
