import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Clock } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { Arg } from '../database/prepared.ts'
import { Cookie } from '../http/cookies.ts'
import { unauthenticated } from '../http/refusal.ts'
import type { Caller, Request } from '../http/request.ts'
import { DAY_MS } from '../lib/dates.ts'
import type { FindActiveSession } from './authenticate.ts'
import { endOfSession } from './lifetime.ts'
import { type AccessClaims, REFRESH_SECONDS, type Tokens } from './tokens.ts'

// A session is extended at most once a day, so most requests write nothing. The session of a person who visits the site
// at least once in 29 days does not expire before SESSION_LIFETIME.
const EXTENSION_INTERVAL_MS = DAY_MS

interface BrowserSessionParts {
  database: Database
  clock: Clock
  tokens: Tokens
  findActiveSession: FindActiveSession
}

/** Browsers store their session in an HttpOnly cookie. In the database it is a session like that of an API client. */
export function createBrowserSession(
  { database, clock, tokens, findActiveSession }: BrowserSessionParts,
  { https, lifetimeMs }: { https: boolean; lifetimeMs: number },
) {
  const { now } = database
  const cookie = new Cookie('portico_session', { seconds: REFRESH_SECONDS, https })
  const end = endOfSession(lifetimeMs)
  const secondsLeft = sql<number>`(${end} - ${now}) / 1000`.as('seconds_left')
  const extend = database.prepare((query, sessionId: Arg<string>) =>
    query
      .updateTable('sessions')
      .set((eb) => ({ expires_at: eb(now, '+', REFRESH_SECONDS * 1000) }))
      .where('id', '=', sessionId)
      .where('revoked_at', 'is', null)
      .where(end, '>', now)
      .returning(secondsLeft),
  )
  /** The token and the cookie expire with the session. */
  function cookieFor(session: AccessClaims, seconds = Math.min(REFRESH_SECONDS, lifetimeMs / 1000)): string {
    return cookie.set(tokens.issueBrowser(session, seconds), seconds)
  }

  return {
    cookieFor,
    /**
     * The active session of this browser. Once a day, its expiry is set to 30 days from now, and `cookies` has the new
     * cookie for the browser.
     */
    async find(request: Request): Promise<{ caller: Caller; cookies: string[] } | undefined> {
      const token = cookie.read(request)
      const claims = token && (await tokens.verifyBrowser(token))
      const activeSession = claims && (await findActiveSession(claims))
      if (!activeSession) return undefined
      const caller = { ...activeSession, isBrowser: true }
      if (clock.now() - claims.issuedAtMs < EXTENSION_INTERVAL_MS) return { caller, cookies: [] }
      const [extended] = await extend(caller.sessionId)
      return { caller, cookies: extended ? [cookieFor(caller, Math.floor(extended.seconds_left))] : [] }
    },
    /**
     * Gives the session of a browser a new id and a new cookie, in the transaction that changes the credentials of the
     * account. A copy of the old cookie does not work afterwards. The session keeps created_at, which limits its
     * lifetime. The session of an API client keeps its id, because the client has stored it.
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
    /** Whether the request has a session cookie. The cookie is not verified. */
    hasCookie: (request: Request) => cookie.read(request) !== undefined,
    clear: () => cookie.clear(),
  }
}

export type BrowserSession = ReturnType<typeof createBrowserSession>
