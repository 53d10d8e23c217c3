import type { Arg } from '../database/prepared.ts'
import { Browser, Device, IpAddress, OperatingSystem, SessionId, SessionMethod, Time } from '../http/fields.ts'
import { operation } from '../http/operation.ts'
import { nullable, Type } from '../http/schema.ts'
import { DAY_MS, isoTime, isoTimeOrNull } from '../lib/dates.ts'
import { endOfSession } from './lifetime.ts'
import { PROOF_COLUMNS, ProofMethods, proofOf } from './proof-methods.ts'
import type { SessionParts } from './start.ts'

const ENDED_SHOWN_MS = 30 * DAY_MS
const MAX_SESSIONS = 200

export const Session = Type.Object(
  {
    sessionId: SessionId,
    authMethod: SessionMethod,
    browser: Browser,
    os: OperatingSystem,
    device: Device,
    ipAddress: Type.String({ ...IpAddress, description: 'The address that the first request of the session claimed' }),
    clientIp: nullable(
      Type.String({
        ...IpAddress,
        description: 'The address it came from; null for a session from before this was stored',
      }),
    ),
    location: nullable(Type.String({ description: 'Not stored: always null', examples: [null] })),
    createdAt: Time,
    authenticatedAt: Type.String({ ...Time, description: 'When the account holder last proved their identity' }),
    methods: ProofMethods,
    lastActiveAt: Time,
    revokedAt: nullable(Time),
    isCurrent: Type.Boolean(),
  },
  { title: 'Session' },
)

export const Sessions = Type.Object({ sessions: Type.Array(Session) }, { title: 'SessionList' })

export function listSessions({ config, database }: Pick<SessionParts, 'config' | 'database'>) {
  const { now } = database
  const end = endOfSession(config.sessionLifetimeMs)
  const findSessions = database.prepare((query, userId: Arg<string>, currentId: Arg<string>) =>
    query
      .selectFrom('sessions')
      .select(['id', 'browser', 'os', 'device', 'ip_address', 'client_ip'])
      .select(PROOF_COLUMNS)
      .select((eb) => [
        // The caller's own session is active with this request, before its last_active_at is written.
        eb.case().when('id', '=', currentId).then(now).else(eb.ref('last_active_at')).end().as('last_active_at'),
        // A session that was not revoked ended when it expired.
        eb
          .case()
          .when('revoked_at', 'is', null)
          .then(eb.case().when(end, '<=', now).then(end).end())
          .else(eb.ref('revoked_at'))
          .end()
          .as('ended_at'),
      ])
      .where('user_id', '=', userId)
      .where((eb) => eb.or([eb('revoked_at', 'is', null), eb('revoked_at', '>', eb(now, '-', ENDED_SHOWN_MS))]))
      .where((eb) => eb(end, '>', eb(now, '-', ENDED_SHOWN_MS)))
      .orderBy('ended_at', (order) => order.desc().nullsFirst())
      .orderBy('last_active_at', 'desc')
      .limit(MAX_SESSIONS),
  )

  return operation({
    id: 'listSessions',
    summary: 'List the sessions of the account',
    message: 'Sessions retrieved successfully',
    description:
      'Active sessions first, most recently used first; then those that ended in the last 30 days. At most 200.',
    data: Sessions,
    links: {
      revoke: {
        operationId: 'revokeSession',
        description: 'Revokes a session of the list, here the first one',
        requestBody: '$response.body#/data/sessions/0',
      },
    },
    async handle({ caller }) {
      const rows = await findSessions(caller.userId, caller.sessionId)
      const sessions = rows.map((row) => ({
        ...shownProof(row),
        sessionId: row.id,
        authMethod: row.auth_method,
        browser: row.browser,
        os: row.os,
        device: row.device,
        ipAddress: row.ip_address,
        clientIp: row.client_ip,
        location: null,
        createdAt: isoTime(row.created_at),
        lastActiveAt: isoTime(row.last_active_at),
        revokedAt: isoTimeOrNull(row.ended_at),
        isCurrent: row.id === caller.sessionId,
      }))
      return { data: { sessions } }
    },
  })
}

function shownProof(row: Parameters<typeof proofOf>[0]) {
  const { authenticatedAt, methods } = proofOf(row)
  return { authenticatedAt: isoTime(authenticatedAt), methods }
}
