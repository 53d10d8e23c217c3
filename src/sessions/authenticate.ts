import type { FastifyRequest } from 'fastify'
import type { Database } from '../database/database.ts'
import type { Arg } from '../database/prepared.ts'
import type { Caller } from '../http/operation.ts'
import { unauthenticated } from '../http/refusal.ts'
import type { Activity } from './activity.ts'
import type { AccessClaims, Tokens } from './tokens.ts'

/** The session that somebody claims to have, if it lives and is theirs. Asked of the database each time. */
export type FindLivingSession = (claims: AccessClaims) => Promise<Caller | undefined>

export function createFindLivingSession({ database, activity }: { database: Database; activity: Activity }) {
  const find = database.prepare((query, id: Arg<string>) =>
    query
      .selectFrom('sessions')
      .select('user_id')
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', database.now),
  )
  return async ({ userId, sessionId }: AccessClaims): Promise<Caller | undefined> => {
    const [session] = await find(sessionId)
    if (session?.user_id !== userId) return undefined
    activity.touch(sessionId)
    return { userId, sessionId }
  }
}

/** The token says who, the header says which session, and the database says whether it still lives. */
export function createAuthenticate(tokens: Tokens, findLiving: FindLivingSession) {
  return async function authenticate(request: FastifyRequest): Promise<Caller> {
    const token = bearerToken(request)
    const claims = token && (await tokens.verifyAccess(token))
    if (!claims || request.headers['x-session-id'] !== claims.sessionId) throw unauthenticated()
    const caller = await findLiving(claims)
    if (!caller) throw unauthenticated()
    return caller
  }
}

function bearerToken({ headers }: FastifyRequest): string | undefined {
  return /^Bearer ([\w.-]+)$/i.exec(headers.authorization ?? '')?.[1]
}
