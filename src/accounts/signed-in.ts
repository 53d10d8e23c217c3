import type { UserRow } from '../database/tables.ts'
import type { ClientInfo } from '../http/client-info.ts'
import {
  AccessToken,
  Browser,
  Device,
  FamilyName,
  FirstName,
  OperatingSystem,
  RefreshToken,
  SessionId,
  StoredEmail,
  StoredUsername,
  UserId,
} from '../http/fields.ts'
import { Type } from '../http/schema.ts'
import { type ActiveSession, tokenPair } from '../sessions/start.ts'
import type { Tokens } from '../sessions/tokens.ts'

/** The response data of every operation that starts a session. */
export const SignedIn = Type.Object(
  {
    accessToken: AccessToken,
    refreshToken: RefreshToken,
    session: Type.Object(
      {
        sessionId: SessionId,
        browser: Browser,
        os: OperatingSystem,
        device: Device,
      },
      { title: 'SessionSummary' },
    ),
    user: Type.Object(
      {
        userId: UserId,
        email: StoredEmail,
        firstName: FirstName,
        lastName: FamilyName,
        username: StoredUsername,
      },
      { title: 'UserSummary' },
    ),
  },
  { title: 'SignedIn' },
)

/** The links of the API description from a response that starts a session. */
export const refreshLinks = {
  refresh: {
    operationId: 'refreshToken',
    description: 'Exchanges the refresh token for a new pair',
    parameters: { 'x-session-id': '$response.body#/data/session/sessionId' },
    requestBody: '$response.body#/data',
  },
}

type SignedInUser = Pick<UserRow, 'id' | 'email' | 'first_name' | 'last_name' | 'username'>

export function signedIn(
  tokens: Tokens,
  session: ActiveSession,
  { browser, os, device }: ClientInfo,
  user: SignedInUser,
) {
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
