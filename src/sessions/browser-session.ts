import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Clock } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { Arg } from '../database/prepared.ts'
import { Cookie } from '../http/cookies.ts'
import { unauthenticated } from '../http/refusal.ts'
import type { Caller, Request } from '../http/request.ts'
import type { FindActiveSession } from './authenticate.ts'
import { endOfSession } from './lifetime.ts'
import { type AccessClaims, REFRESH_SECONDS, type Tokens } from './tokens.ts'

// Often enough that somebody who comes by now and then stays signed in, and seldom enough to cost nothing.
const RENEWED_AFTER_MS = 24 * 60 * 60_000

interface Parts {
  database: Database
  clock: Clock
  tokens: Tokens
  findActiveSession: FindActiveSession
}

/** A browser holds its session in a cookie that page scripts cannot read; it is a session like any other. */
export function createBrowserSession(
  { database, clock, tokens, findActiveSession }: Parts,
  { https, lifetimeMs }: { https: boolean; lifetimeMs: number },
) {
  const { now } = database
  const cookie = new Cookie('portico_session', { seconds: REFRESH_SECONDS, https })
  const end = endOfSession(lifetimeMs)
  const secondsLeft = sql<number>`(${end} - ${now}) / 1000`.as('seconds_left')
  const prolong = database.prepare((query, sessionId: Arg<string>) =>
    query
      .updateTable('sessions')
      .set((eb) => ({ expires_at: eb(now, '+', REFRESH_SECONDS * 1000) }))
      .where('id', '=', sessionId)
      .where('revoked_at', 'is', null)
      .where(end, '>', now)
      .returning(secondsLeft),
  )
  /** Neither the token nor the cookie lasts longer than the session may. */
  function cookieFor(session: AccessClaims, seconds = Math.min(REFRESH_SECONDS, lifetimeMs / 1000)): string {
    return cookie.set(tokens.browser(session, seconds), seconds)
  }

  return {
    cookieFor,
    /** The living session of this browser. Its 30 days begin anew once a day; the cookies say so to the browser. */
    async find(request: Request): Promise<{ caller: Caller; cookies: string[] } | undefined> {
      const token = cookie.read(request)
      const claims = token && (await tokens.verifyBrowser(token))
      const found = claims && (await findActiveSession(claims))
      if (!found) return undefined
      const caller = { ...found, isBrowser: true }
      if (clock.now() - claims.issuedAt < RENEWED_AFTER_MS) return { caller, cookies: [] }
      const [prolonged] = await prolong(caller.sessionId)
      return { caller, cookies: prolonged ? [cookieFor(caller, Math.floor(prolonged.seconds_left))] : [] }
    },
    /**
     * Gives a browser's session a new id and a new cookie, in the transaction that changes its owner's credentials: a copy
     * of the old cookie is worth nothing afterwards. The session keeps its beginning, and with it its lifetime. The session
     * of an API client keeps its id, which the client holds.
     */
    async renew(tx: Tx, { userId, sessionId, isBrowser }: Caller): Promise<{ sessionId: string; cookies: string[] }> {
      if (!isBrowser) return { sessionId, cookies: [] }
      const renewed = await tx
        .updateTable('sessions')
        .set((eb) => ({
          id: randomUUID(),
          refresh_id: randomUUID(),
          previous_refresh_id: null,
          last_active_at: now,
          expires_at: eb(now, '+', REFRESH_SECONDS * 1000),
        }))
        .where('id', '=', sessionId)
        .where('revoked_at', 'is', null)
        .returning(['id', secondsLeft])
        .executeTakeFirst()
      if (!renewed) throw unauthenticated()
      const session = { userId, sessionId: renewed.id }
      return { sessionId: renewed.id, cookies: [cookieFor(session, Math.floor(renewed.seconds_left))] }
    },
    /** Whether the browser says that it has one; asked before anything is looked up. */
    isClaimed: (request: Request) => cookie.read(request) !== undefined,
    clear: () => cookie.clear(),
  }
}

export type BrowserSession = ReturnType<typeof createBrowserSession>
