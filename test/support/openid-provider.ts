import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair } from 'jose'
import type { ClientAuthMethod, Configuration } from 'oidc-provider'
import { cookieOf, listenOnLoopback, readForm, sendJson } from './local-servers.ts'
import { DENIAL_COOKIE, HOME, People, type SignInProvider, USER_COOKIE } from './providers.ts'

// The package prints advice for production use when it is loaded. The tests do not need it.
Object.assign(console, { warn() {}, info() {} })
const { default: Provider } = await import('oidc-provider')

interface Habits {
  /** Puts the user's claims into the ID token, or only into the UserInfo response. */
  claimsIn?: 'ID token' | 'UserInfo'
  /** The client authentication method. */
  authMethod?: ClientAuthMethod
  /** False leaves the methods of client authentication out of the discovery document, as Gitea and Forgejo do. */
  namesMethods?: boolean
  /**
   * Handling of Basic credentials: decodes them as RFC 6749 requires, compares them undecoded (Gitea and Forgejo),
   * refuses them, or refuses them after it has used up the code.
   */
  basic?: 'decodes' | 'compares' | 'refuses' | 'refuses and uses up the code'
  clientSecret?: string
  /** Whether the issuer is the address with a slash at its end, as that of Forgejo. */
  endsWithSlash?: boolean
  /** The address of the service. */
  home?: string
}

/** A real OpenID provider. The browser is signed in there as the user that the cookie names, and consents. */
export async function startOpenIdProvider(habits: Habits = {}): Promise<SignInProvider> {
  const { claimsIn = 'ID token', authMethod = 'client_secret_post', namesMethods = true } = habits
  const { basic = 'decodes', clientSecret = randomBytes(32).toString('hex'), home = HOME } = habits
  const { endsWithSlash = false } = habits
  const people = new People()
  let exchanges = 0

  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const signingKey = await exportJWK(privateKey)
  const server = await listenOnLoopback((request, response) => {
    if (request.url === '/token') {
      exchanges += 1
      const [, credentials] = /^Basic (.*)$/.exec(request.headers.authorization ?? '') ?? []
      if (credentials && isRefused(Buffer.from(credentials, 'base64').toString()))
        return refuseClient(request, response)
    }
    if (request.url?.startsWith('/interaction/')) return signIn(request, response)
    return handle(request, response)
  })

  const configuration: Configuration = {
    clients: [
      {
        client_id: 'idp-client',
        client_secret: clientSecret,
        redirect_uris: [`${home}/api/oauth/idp`],
        token_endpoint_auth_method: authMethod,
      },
    ],
    clientAuthMethods: [authMethod],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['given_name', 'family_name', 'picture', 'preferred_username'],
    },
    conformIdTokenClaims: claimsIn === 'UserInfo',
    pkce: { required: () => true },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    jwks: { keys: [{ ...signingKey, alg: 'RS256', use: 'sig', kid: 'idp-key' } as never] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, accountId) => ({ accountId, claims: () => claimsOf(accountId) }),
    async loadExistingGrant({ oidc }) {
      const { client, session } = oidc
      const grant = new oidc.provider.Grant({ clientId: client?.clientId, accountId: session?.accountId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  }
  const provider = new Provider(endsWithSlash ? `${server.url}/` : server.url, configuration)
  provider.use(async ({ path, response }, next) => {
    await next()
    const isDiscovery = path === '/.well-known/openid-configuration'
    if (isDiscovery && !namesMethods) {
      const { token_endpoint_auth_methods_supported: _, ...others } = response.body as Record<string, unknown>
      response.body = others
    }
  })
  const handle = provider.callback()

  function isRefused(credentials: string): boolean {
    if (basic === 'decodes') return false
    return basic !== 'compares' || credentials !== `idp-client:${clientSecret}`
  }

  async function refuseClient(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = await readForm(request)
    if (basic === 'refuses and uses up the code') {
      await (await provider.AuthorizationCode.find(form.get('code') ?? ''))?.destroy()
    }
    sendJson(response, { error: 'invalid_client' }, 401)
  }

  async function signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const deniesConsent = cookieOf(request, DENIAL_COOKIE) !== ''
    const result = deniesConsent ? { error: 'access_denied' } : { login: { accountId: cookieOf(request, USER_COOKIE) } }
    await provider.interactionFinished(request, response, result)
  }

  function claimsOf(sub: string) {
    const { email, verified, firstName, lastName, username, avatar } = people.get(sub)
    return {
      sub,
      ...(email !== undefined && { email, email_verified: verified }),
      given_name: firstName,
      family_name: lastName,
      picture: avatar,
      preferred_username: username,
    }
  }

  return {
    ...server,
    name: 'idp',
    settings: { IDP_ISSUER: server.url, IDP_CLIENT_ID: 'idp-client', IDP_CLIENT_SECRET: clientSecret },
    people,
    exchanges: () => exchanges,
  }
}
