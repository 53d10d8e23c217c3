import type { SignedIn } from '../../accounts/signed-in.ts'
import type { Static } from '../../http/schema.ts'
import type { Visit } from './page.ts'
import type { AccountPageParts } from './parts.ts'

export type Begun = Pick<Static<typeof SignedIn>, 'user'> & { session: { sessionId: string } }

/**
 * Returns the cookies for a new session. The browser gets no tokens. Revokes the former session of the browser, since
 * its cookie is overwritten.
 */
export async function beginSession(
  { browserSession }: AccountPageParts,
  { visitor, perform }: Visit,
  { user, session }: Begun,
): Promise<string[]> {
  if (visitor) await perform('POST /api/auth/logout')
  return [browserSession.cookieFor({ userId: user.userId, sessionId: session.sessionId })]
}
