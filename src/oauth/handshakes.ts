import { randomBytes } from 'node:crypto'
import type { Database } from '../database/database.ts'
import type { Handshake, ProviderName } from './identity.ts'

export const HANDSHAKE_SECONDS = 10 * 60

export interface Begun extends Handshake {
  returnTo: string
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
    async begin(provider: ProviderName, browserSecret: string, returnTo: string): Promise<Begun> {
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
        .returning(['code_verifier', 'nonce', 'return_to'])
        .executeTakeFirst()
      return found && { state, codeVerifier: found.code_verifier, nonce: found.nonce, returnTo: found.return_to }
    },
  }
}

export type Handshakes = ReturnType<typeof createHandshakes>

export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}
