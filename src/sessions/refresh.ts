import { randomUUID } from 'node:crypto'
import type { ExpressionBuilder } from 'kysely'
import type { Arg } from '../database/prepared.ts'
import type { Tables } from '../database/tables.ts'
import { recordEvent } from '../events/security-events.ts'
import type { ClientInfo } from '../http/client-info.ts'
import { AccessToken, NO_NUL, RefreshToken, SessionId, StoredEmail, UserId } from '../http/fields.ts'
import { publicOperation } from '../http/operation.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { endSession } from './end.ts'
import { endOfSession } from './lifetime.ts'
import { PROOF_COLUMNS, proofOf } from './proof-methods.ts'
import { type SessionParts, tokenPair } from './start.ts'
import { REFRESH_SECONDS, type RefreshClaims } from './tokens.ts'

const REUSE_GRACE_MS = 30_000
const invalidRefreshToken = declareRefusal({
  status: 401,
  code: 'invalid_refresh_token',
  message: 'Invalid or expired refresh token',
  when: 'The refresh token is invalid, expired or used, belongs to another session, or its session has ended',
})

export function refreshToken({
  config,
  database,
  tokens,
  clientInfoOf,
}: Pick<SessionParts, 'config' | 'database' | 'tokens' | 'clientInfoOf'>) {
  const { now } = database
  const end = endOfSession(config.sessionLifetimeMs)

  const rotate = database.prepare(
    (query, sessionId: Arg<string>, userId: Arg<string>, presented: Arg<string>, next: Arg<string>) =>
      query
        .updateTable('sessions')
        .set((eb) => ({
          previous_refresh_id: eb.ref('refresh_id'),
          refresh_id: next,
          rotated_at: now,
          last_active_at: now,
          expires_at: eb(now, '+', REFRESH_SECONDS * 1000),
        }))
        .where('id', '=', sessionId)
        .where('user_id', '=', userId)
        .where('refresh_id', '=', presented)
        .where('revoked_at', 'is', null)
        .where(end, '>', now)
        .returning((eb) => ['refresh_id', 'rotated_at', ...PROOF_COLUMNS, end.as('ends_at'), ...accountColumns(eb)]),
  )

  /**
   * Within the grace period, the previous refresh token gives the same successor again. A client sends it when two tabs
   * refresh at once, or when it did not receive the response.
   */
  const findSuccessor = database.prepare((query, sessionId: Arg<string>, userId: Arg<string>, presented: Arg<string>) =>
    query
      .selectFrom('sessions')
      .select((eb) => ['refresh_id', 'rotated_at', ...PROOF_COLUMNS, end.as('ends_at'), ...accountColumns(eb)])
      .where('id', '=', sessionId)
      .where('user_id', '=', userId)
      .where('previous_refresh_id', '=', presented)
      .where('revoked_at', 'is', null)
      .where(end, '>', now)
      .where((eb) => eb('rotated_at', '>', eb(now, '-', REUSE_GRACE_MS))),
  )

  /**
   * Ends the active session of a refresh token that is used again after the grace period. Another client may have
   * copied the token, and the server cannot tell which client is the account holder's (RFC 9700, section 4.14.2).
   */
  async function endReusedSession({ userId, sessionId }: RefreshClaims, clientInfo: ClientInfo) {
    await database.transaction(async (tx) => {
      if (await endSession(tx, now, config.sessionLifetimeMs, { userId, sessionId })) {
        await recordEvent(tx, now, { type: 'session.token-reused', userId, sessionId, clientInfo })
      }
    })
  }

  return publicOperation({
    id: 'refreshToken',
    summary: 'Exchange a refresh token for a new token pair',
    message: 'Token refreshed successfully',
    description:
      'Each refresh token works once. The one just replaced is accepted for 30 seconds more and gives the same ' +
      'successor; any later use of an old token ends its session.',
    headers: Type.Object({
      'x-session-id': Type.String({
        ...SessionId,
        minLength: 1,
        description: 'The sessionId that came with the token',
      }),
    }),
    body: Type.Object({ refreshToken: Type.String({ ...RefreshToken, minLength: 1, ...NO_NUL }) }),
    data: Type.Object(
      {
        accessToken: AccessToken,
        refreshToken: RefreshToken,
        user: Type.Object({ userId: UserId, email: StoredEmail }, { title: 'UserReference' }),
      },
      { title: 'TokenPair' },
    ),
    refusals: [invalidRefreshToken],
    links: {
      refresh: {
        operationId: 'refreshToken',
        description: 'Exchanges the refresh token for a new pair',
        parameters: { 'x-session-id': '$request.header.x-session-id' },
        requestBody: '$response.body#/data',
      },
    },
    async handle({ body, request }) {
      const claims = await tokens.verifyRefresh(body.refreshToken)
      if (!claims || request.headers['x-session-id'] !== claims.sessionId) throw new Refusal(invalidRefreshToken)

      const { userId, sessionId, refreshId } = claims
      const [rotated] = await rotate(sessionId, userId, refreshId, randomUUID())
      const [successor] = rotated ? [rotated] : await findSuccessor(sessionId, userId, refreshId)
      if (!successor) {
        await endReusedSession(claims, clientInfoOf(request))
        throw new Refusal(invalidRefreshToken)
      }
      const session = {
        userId,
        sessionId,
        refreshId: successor.refresh_id,
        rotatedAt: successor.rotated_at,
        expiresAt: successor.ends_at,
        role: successor.role,
        ...proofOf(successor),
      }
      return {
        data: { ...tokenPair(tokens, session), user: { userId, email: successor.email } },
      }
    },
  })
}

/** Never null: a session refers to its account by a foreign key. */
function accountColumns(eb: ExpressionBuilder<Tables, 'sessions'>) {
  const account = eb.selectFrom('users').whereRef('users.id', '=', 'sessions.user_id')
  return [
    account.select('users.email').$asScalar().$notNull().as('email'),
    account.select('users.role').$asScalar().$notNull().as('role'),
  ] as const
}
