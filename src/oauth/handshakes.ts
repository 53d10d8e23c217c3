import { randomBytes } from 'node:crypto'
import type { Database } from '../database/database.ts'
import type { ProviderName } from '../database/tables.ts'
import type { Caller } from '../http/request.ts'
import type { Handshake } from './identity.ts'

export const HANDSHAKE_SECONDS = 10 * 60

/** Who links an identity: the account, and the session that began it. */
type Linker = Pick<Caller, 'userId' | 'sessionId'>

export interface Begun extends Handshake {
  returnTo: string
  /** Set when an identity is to be linked to an account, rather than signed in with. */
  linker?: Linker | undefined
}

/**
 * Sign-ins on their way out and back. Each is bound to the browser that began it, by a secret in a cookie, and to its
 * provider; it can be finished once. The table holds only hashes of what travels through the browser.
 */
export function createHandshakes(database: Database, hash: (text: string) => string) {
  const { now, query } = database
  const keyOf = (state: string) => hash(JSON.stringify(['oauth-state', state]))
  const browserOf = (secret: string) => hash(JSON.stringify(['oauth-browser', secret]))

  return {
    async begin(provider: ProviderName, browserSecret: string, returnTo: string, linker?: Linker): Promise<Begun> {
      const [state, codeVerifier, nonce] = [newSecret(), newSecret(), newSecret()]
      await query
        .insertInto('handshakes')
        .values((eb) => ({
          key: keyOf(state),
          provider,
          browser: browserOf(browserSecret),
          code_verifier: codeVerifier,
          nonce,
          return_to: returnTo,
          user_id: linker?.userId ?? null,
          session_id: linker?.sessionId ?? null,
          expires_at: eb(now, '+', HANDSHAKE_SECONDS * 1000),
        }))
        .execute()
      return { state, codeVerifier, nonce, returnTo }
    },

    /** Takes the handshake out of the table in one statement: of two that come back with it, one finds it. */
    async finish(provider: ProviderName, browserSecret: string, state: string): Promise<Begun | undefined> {
      const found = await query
        .deleteFrom('handshakes')
        .where('key', '=', keyOf(state))
        .where('provider', '=', provider)
        .where('browser', '=', browserOf(browserSecret))
        .where('expires_at', '>', now)
        .returning(['code_verifier', 'nonce', 'return_to', 'user_id', 'session_id'])
        .executeTakeFirst()
      if (!found) return undefined
      const { code_verifier, nonce, return_to, user_id, session_id } = found
      const linker = user_id && session_id ? { userId: user_id, sessionId: session_id } : undefined
      return { state, codeVerifier: code_verifier, nonce, returnTo: return_to, linker }
    },
  }
}

export type Handshakes = ReturnType<typeof createHandshakes>

const SECRET = /^[\w-]{43}$/

/** The secret that the browser carries already, or a new one: sign-ins in two tabs share it, so that both can finish. */
export function browserSecret(carried = ''): string {
  return SECRET.test(carried) ? carried : newSecret()
}

function newSecret(): string {
  return randomBytes(32).toString('base64url')
}
