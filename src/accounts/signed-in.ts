import type { UserRow } from '../database/tables.ts'
import { Type } from '../http/schema.ts'
import type { Origin } from '../sessions/device.ts'
import { type LivingSession, tokenPair } from '../sessions/start.ts'
import type { Tokens } from '../sessions/tokens.ts'

/** What a client gets when a session has begun, whichever way it began. */
export const SignedIn = Type.Object({
  accessToken: Type.String(),
  refreshToken: Type.String(),
  session: Type.Object({
    sessionId: Type.String({ format: 'uuid' }),
    browser: Type.String(),
    os: Type.String(),
    device: Type.String(),
  }),
  user: Type.Object({
    userId: Type.String(),
    email: Type.String(),
    firstName: Type.String(),
    lastName: Type.String(),
    username: Type.String(),
  }),
})

type Person = Pick<UserRow, 'id' | 'email' | 'first_name' | 'last_name' | 'username'>

export function signedIn(tokens: Tokens, session: LivingSession, { browser, os, device }: Origin, user: Person) {
  return {
    ...tokenPair(tokens, session),
    session: { sessionId: session.sessionId, browser, os, device },
    user: {
      userId: user.id,
      email: user.email,
      firstName: user.first_name,
      lastName: user.last_name,
      username: user.username,
    },
  }
}
