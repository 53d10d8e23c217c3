import type { SignedIn } from '../../accounts/signed-in.ts'
import type { Static } from '../../http/schema.ts'
import type { Visit } from './page.ts'
import type { AccountPageParts } from './parts.ts'

export type Begun = Pick<Static<typeof SignedIn>, 'user'> & { session: { sessionId: string } }

/**
 * The cookies with which the browser holds the session that has begun. The tokens stay here. A session that the browser
 * held before could never be used again, so it ends.
 */
export async function beginSession(
  { browserSession }: AccountPageParts,
  { visitor, perform }: Visit,
  { user, session }: Begun,
): Promise<string[]> {
  if (visitor) await perform('POST /api/auth/logout')
  return [browserSession.cookieFor({ userId: user.userId, sessionId: session.sessionId })]
}
