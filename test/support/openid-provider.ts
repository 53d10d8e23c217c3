import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair } from 'jose'
import Provider, { type ClientAuthMethod, type Configuration } from 'oidc-provider'
import { cookieOf, listenOnLoopback } from './loopback-server.ts'
import { CALLBACKS, People, type SignInProvider, UNWILLING, VISITOR } from './sign-in-provider.ts'

const SCOPES = 'openid email profile'

interface Habits {
  /** Tells who somebody is in the ID token already, or only when it is asked with the access token. */
  tells?: 'in ID tokens' | 'when asked'
  authMethod?: ClientAuthMethod
}

/** A real OpenID provider, at which everybody is signed in as the visitor that the cookie names. */
export async function startOpenIdProvider({
  tells = 'in ID tokens',
  authMethod = 'client_secret_post',
}: Habits = {}): Promise<SignInProvider> {
  const client = { client_id: 'idp-client', client_secret: randomBytes(32).toString('hex') }
  const people = new People()
  let exchanges = 0

  const server = await listenOnLoopback((request, response) => {
    if (request.url === '/token') exchanges += 1
    if (request.url?.startsWith('/interaction/')) return signIn(request, response)
    return handle(request, response)
  })

  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const provider = quietly(
    () =>
      new Provider(server.url, {
        clients: [
          { ...client, redirect_uris: [`${CALLBACKS}idp`], token_endpoint_auth_method: authMethod },
        ],
        clientAuthMethods: [authMethod],
        claims: {
          openid: ['sub'],
          email: ['email', 'email_verified'],
          profile: ['given_name', 'family_name', 'name', 'picture', 'preferred_username'],
        },
        conformIdTokenClaims: tells === 'when asked',
        pkce: { required: () => true },
        cookies: { keys: [randomBytes(16).toString('hex')] },
        jwks: { keys: [{ ...(await_(privateKey)) }] },
        findAccount: (_context, subject) => ({ accountId: subject, claims: () => claimsOf(subject) }),
      } as Configuration),
  )
  const handle = provider.callback()
}
