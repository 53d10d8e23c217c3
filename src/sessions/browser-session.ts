import type { FastifyRequest } from 'fastify'
import { Cookie } from '../http/cookies.ts'
import type { LivingSession } from './start.ts'
import { REFRESH_SECONDS, type Tokens } from './tokens.ts'

/** A browser holds its session in a cookie that page scripts cannot read; it is a session like any other. */
export function createBrowserSession(tokens: Tokens, { https }: { https: boolean }) {
  const cookie = new Cookie('portico_session', { seconds: REFRESH_SECONDS, https })
  return {
    cookieFor: async (session: LivingSession) => cookie.set(await tokens.browser(session)),
    /** Who the cookie says it is; whether that session still lives is for the database to say. */
    async claims(request: FastifyRequest) {
      const token = cookie.read(request)
      return token ? tokens.verifyBrowser(token) : undefined
    },
    clear: () => cookie.clear(),
  }
}

export type BrowserSession = ReturnType<typeof createBrowserSession>
