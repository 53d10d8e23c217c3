import type { Database } from '../database/database.ts'
import { USER_COLUMNS, type UserRow } from '../database/tables.ts'
import { bearerToken } from '../http/credentials.ts'
import type { Caller, Request } from '../http/request.ts'
import { chain, type MaybePromise } from '../lib/maybe-promise.ts'
import type { Activity } from './activity.ts'
import { endOfSession } from './lifetime.ts'
import type { AccessClaims, Tokens } from './tokens.ts'

declare module '../http/request.ts' {
  interface Caller {
    /** The row of the account, read together with the session of this request. */
    user: UserRow
  }
}

/**
 * The caller with these claims, or undefined when the session is not active or belongs to another account. Every call
 * reads the session and the account from the database.
 */
export type FindActiveSession = (claims: AccessClaims) => MaybePromise<Caller | undefined>

export function createFindActiveSession(
  { database, activity }: { database: Database; activity: Activity },
  { lifetimeMs }: { lifetimeMs: number },
) {
  const find = database.prepareLookup((query, hasKey) =>
    query
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select('sessions.id as key')
      .select(USER_COLUMNS.map((column) => `users.${column}` as const))
      .where(hasKey('sessions.id'))
      .where('revoked_at', 'is', null)
      .where(endOfSession(lifetimeMs), '>', database.now),
  )
  return (claims: AccessClaims) => chain(find(claims.sessionId), (user) => callerOf(claims, user))

  function callerOf({ userId, sessionId }: AccessClaims, user: UserRow | undefined): Caller | undefined {
    if (user?.id !== userId) return undefined
    activity.touch(sessionId)
    return { userId, sessionId, isBrowser: false, user }
  }
}

/**
 * Returns a function that authenticates a request by its bearer token. The token names the account and the session, the
 * header `x-session-id` must name the same session, and the session must be active.
 */
export function createAuthenticate(tokens: Tokens, findActiveSession: FindActiveSession) {
  return function authenticate(request: Request): MaybePromise<Caller | undefined> {
    const token = bearerToken(request.headers)
    if (!token) return undefined
    return chain(tokens.verifyAccess(token), (claims) =>
      claims && request.headers['x-session-id'] === claims.sessionId ? findActiveSession(claims) : undefined,
    )
  }
}
