import type { Database } from '../database/database.ts'
import type { Arg } from '../database/prepared.ts'
import { isoTime } from '../dates.ts'
import { operation } from '../http/operation.ts'
import { nullable, Type } from '../http/schema.ts'
import { SECURITY_EVENTS, type SecurityEventType } from '../sessions/security-events.ts'

const Event = Type.Object({
  id: Type.String({ format: 'uuid' }),
  type: Type.String({ description: 'A stable name for programs', enum: Object.keys(SECURITY_EVENTS) }),
  description: Type.String({ description: 'The same for people' }),
  sessionId: nullable(Type.String({ format: 'uuid' })),
  browser: Type.String(),
  os: Type.String(),
  device: Type.String(),
  ipAddress: Type.String(),
  createdAt: Type.String({ format: 'date-time' }),
})

export const SecurityEvents = Type.Object({
  events: Type.Array(Event),
  nextBefore: nullable(Type.String({ description: 'Null on the last page' })),
})

/** Where a page begins: the order of the timeline, spelled out. */
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
    summary: 'Read what happened to the own account, newest first',
    query: Type.Object({
      limit: Type.Integer({
        minimum: 1,
        maximum: 100,
        default: 50,
        'x-message': 'Limit must be from 1 to 100',
      }),
      before: Type.Optional(Type.String({ pattern: CURSOR, description: 'nextBefore of the page before' })),
    }),
    data: SecurityEvents,
    async handle({ query: { limit, before }, caller }) {
      // One more than asked for tells whether there is a next page.
      const { created_at, sequence, id } = before === undefined ? NEWEST : positionOf(before)
      const rows = await findEvents(caller.userId, created_at, sequence, id, limit + 1)
      const events = rows.slice(0, limit).map((row) => ({
        id: row.id,
        type: row.type,
        description: SECURITY_EVENTS[row.type as SecurityEventType],
        sessionId: row.session_id,
        browser: row.browser,
        os: row.os,
        device: row.device,
        ipAddress: row.ip_address,
        createdAt: isoTime(row.created_at),
      }))
      const last = rows.length > limit ? rows[limit - 1] : undefined
      const nextBefore = last ? cursorOf(last) : null
      return { message: 'Security events retrieved successfully', data: { events, nextBefore } }
    },
  })
}

const CURSOR = '^\\d{1,15}\\.\\d{1,9}\\.[0-9a-f-]{36}$'

function cursorOf({ created_at, sequence, id }: Position): string {
  return `${created_at}.${sequence}.${id}`
}

function positionOf(cursor: string): Position {
  const [created_at, sequence, id = ''] = cursor.split('.')
  return { created_at: Number(created_at), sequence: Number(sequence), id }
}
