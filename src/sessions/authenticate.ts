import type { FastifyRequest } from 'fastify'
import type { Database } from '../database/database.ts'
import type { Arg } from '../database/prepared.ts'
import type { Caller } from '../http/operation.ts'
import { unauthenticated } from '../http/refusal.ts'
import type { Activity } from './activity.ts'
import type { Tokens } from './tokens.ts'

/** The token says who, the header says which session, and the database says whether it still lives. */
export function createAuthenticate(parts: { database: Database; tokens: Tokens; activity: Activity }) {
  const { database, tokens, activity } = parts
  const findLiving = database.prepare((query, id: Arg<string>) =>
    query
      .selectFrom('sessions')
      .select('user_id')
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', database.now),
  )

  return async function authenticate(request: FastifyRequest): Promise<Caller> {
    const token = bearerToken(request)
    const claims = token && (await tokens.verifyAccess(token))
    if (!claims || request.headers['x-session-id'] !== claims.sessionId) throw unauthenticated()
    const [session] = await findLiving(claims.sessionId)
    if (session?.user_id !== claims.userId) throw unauthenticated()
    activity.touch(claims.sessionId)
    return claims
  }
}

function bearerToken({ headers }: FastifyRequest): string | undefined {
  return /^Bearer ([\w.-]+)$/i.exec(headers.authorization ?? '')?.[1]
}
