import Type from 'typebox'
import type { Database } from '../database/database.ts'
import type { Arg } from '../database/prepared.ts'
import { operation } from '../http/operation.ts'
import { SECURITY_EVENTS, type SecurityEventType } from '../sessions/security-events.ts'

const Event = Type.Object({
  id: Type.String({ format: 'uuid' }),
  type: Type.String({ description: 'A stable name for programs', enum: Object.keys(SECURITY_EVENTS) }),
  description: Type.String({ description: 'The same for people' }),
  sessionId: Type.Union([Type.String({ format: 'uuid' }), Type.Null()]),
  browser: Type.String(),
  os: Type.String(),
  device: Type.String(),
  ipAddress: Type.String(),
  createdAt: Type.String({ format: 'date-time' }),
})

// Sorts after every identifier: the first page begins before it.
const NEWEST = 'g'

export function listSecurityEvents({ database }: { database: Database }) {
  const findEvents = database.prepare((query, userId: Arg<string>, before: Arg<string>, limit: Arg<number>) =>
    query
      .selectFrom('security_events')
      .selectAll()
      .where('user_id', '=', userId)
      .where('id', '<', before)
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
      before: Type.Optional(Type.String({ maxLength: 64, description: 'nextBefore of the page before' })),
    }),
    data: Type.Object({
      events: Type.Array(Event),
      nextBefore: Type.Union([Type.String(), Type.Null()], { description: 'Null on the last page' }),
    }),
    async handle({ query: { limit, before }, caller }) {
      // One more than asked for tells whether there is a next page.
      const rows = await findEvents(caller.userId, before ?? NEWEST, limit + 1)
      const events = rows.slice(0, limit).map((row) => ({
        id: row.id,
        type: row.type,
        description: SECURITY_EVENTS[row.type as SecurityEventType],
        sessionId: row.session_id,
        browser: row.browser,
        os: row.os,
        device: row.device,
        ipAddress: row.ip_address,
        createdAt: new Date(row.created_at).toISOString(),
      }))
      const nextBefore = rows.length > limit ? (events.at(-1)?.id ?? null) : null
      return { message: 'Security events retrieved successfully', data: { events, nextBefore } }
    },
  })
}
