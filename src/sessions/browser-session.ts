import type { Clock } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Arg } from '../database/prepared.ts'
import { Cookie } from '../http/cookies.ts'
import type { Caller, Request } from '../http/request.ts'
import type { FindLivingSession } from './authenticate.ts'
import { type AccessClaims, REFRESH_SECONDS, type Tokens } from './tokens.ts'

// Often enough that somebody who comes by now and then stays signed in, and seldom enough to cost nothing.
const RENEWED_AFTER = 24 * 60 * 60_000

interface Parts {
  database: Database
  clock: Clock
  tokens: Tokens
  findLiving: FindLivingSession
}

/** A browser holds its session in a cookie that page scripts cannot read; it is a session like any other. */
export function createBrowserSession({ database, clock, tokens, findLiving }: Parts, { https }: { https: boolean }) {
  const cookie = new Cookie('portico_session', { seconds: REFRESH_SECONDS, https })
  const prolong = database.prepare((query, sessionId: Arg<string>) =>
    query
      .updateTable('sessions')
      .set((eb) => ({ expires_at: eb(database.now, '+', REFRESH_SECONDS * 1000) }))
      .where('id', '=', sessionId)
      .where('revoked_at', 'is', null),
  )
  const cookieFor = (session: AccessClaims) => cookie.set(tokens.browser(session))

  return {
    cookieFor,
    /** The living session of this browser. Its 30 days begin anew once a day; the cookies say so to the browser. */
    async find(request: Request): Promise<{ caller: Caller; cookies: string[] } | undefined> {
      const token = cookie.read(request)
      const claims = token && (await tokens.verifyBrowser(token))
      const caller = claims && (await findLiving(claims))
      if (!caller) return undefined
      if (clock.now() - claims.issuedAt < RENEWED_AFTER) return { caller, cookies: [] }
      await prolong(caller.sessionId)
      return { caller, cookies: [cookieFor(caller)] }
    },
    /** Whether the browser says that it has one; asked before anything is looked up. */
    isClaimed: (request: Request) => cookie.read(request) !== undefined,
    clear: () => cookie.clear(),
  }
}

export type BrowserSession = ReturnType<typeof createBrowserSession>
