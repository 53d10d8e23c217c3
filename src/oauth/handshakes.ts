import { randomBytes } from 'node:crypto'
import type { Database } from '../database/database.ts'
import type { ProviderName } from '../database/enumerations.ts'
import type { Caller } from '../http/request.ts'
import type { Handshake } from './identity.ts'

export const HANDSHAKE_SECONDS = 10 * 60

/** The account that an identity is to be linked to, and the session that began the handshake. */
type LinkingSession = Pick<Caller, 'userId' | 'sessionId'>

export interface StoredHandshake extends Handshake {
  returnTo: string
  /** Set when the handshake links an identity to an account instead of signing in. */
  linkingSession?: LinkingSession | undefined
}

/**
 * Handshakes: pending authorization requests (RFC 6749, section 4.1.1), between the redirect to the provider and its
 * callback. A handshake is bound to its provider and, by a secret in a cookie, to the browser that began it. It can be
 * finished once. The table stores only keyed hashes of the state and of the cookie's secret.
 */
export function createHandshakes(database: Database, hash: (text: string) => string) {
  const { now, query } = database
  const digestState = (state: string) => hash(JSON.stringify(['oauth-state', state]))
  const digestSecret = (secret: string) => hash(JSON.stringify(['oauth-browser', secret]))

  return {
    async begin(
      provider: ProviderName,
      browserSecret: string,
      returnTo: string,
      linkingSession?: LinkingSession,
    ): Promise<StoredHandshake> {
      const [state, codeVerifier, nonce] = [newSecret(), newSecret(), newSecret()]
      await query
        .insertInto('handshakes')
        .values((eb) => ({
          key: digestState(state),
          provider,
          browser: digestSecret(browserSecret),
          code_verifier: codeVerifier,
          nonce,
          return_to: returnTo,
          user_id: linkingSession?.userId ?? null,
          session_id: linkingSession?.sessionId ?? null,
          expires_at: eb(now, '+', HANDSHAKE_SECONDS * 1000),
        }))
        .execute()
      return { state, codeVerifier, nonce, returnTo }
    },

    /** Deletes and returns the handshake in one statement, so only one of two concurrent callbacks gets it. */
    async finish(provider: ProviderName, browserSecret: string, state: string): Promise<StoredHandshake | undefined> {
      const row = await query
        .deleteFrom('handshakes')
        .where('key', '=', digestState(state))
        .where('provider', '=', provider)
        .where('browser', '=', digestSecret(browserSecret))
        .where('expires_at', '>', now)
        .returning(['code_verifier', 'nonce', 'return_to', 'user_id', 'session_id'])
        .executeTakeFirst()
      if (!row) return undefined
      const { code_verifier, nonce, return_to, user_id, session_id } = row
      const linkingSession = user_id && session_id ? { userId: user_id, sessionId: session_id } : undefined
      return { state, codeVerifier: code_verifier, nonce, returnTo: return_to, linkingSession }
    },
  }
}

export type Handshakes = ReturnType<typeof createHandshakes>

const SECRET_BYTES = 32
const SECRET_PATTERN = /^[\w-]{43}$/

/** The secret of the browser's cookie, or a new one. Sign-ins in two tabs share the secret, so that both can finish. */
export function browserSecret(fromCookie = ''): string {
  return SECRET_PATTERN.test(fromCookie) ? fromCookie : newSecret()
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}
