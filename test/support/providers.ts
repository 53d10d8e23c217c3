import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { before, describe } from 'node:test'
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import type { ClientAuthMethod, Configuration } from 'oidc-provider'
import type { ProviderName } from '../../src/database/tables.ts'
import { cleanUp, suiteCleanUp } from './clean-up.ts'
import {
  applyFault,
  cookieOf,
  type Fault,
  type LoopbackServer,
  listenOnLoopback,
  readForm,
  redirect,
  sendJson,
} from './loopback-server.ts'
import { ENGINES, type EngineName, type Service, startService } from './service.ts'

export interface TestProviders {
  codehost: CodeHost
  idp: SignInProvider
}

export const PROVIDER_NAMES = ['codehost', 'idp'] as const

/** Like onBothEngines, with a code host and an OpenID provider beside each service, at which users can sign in. */
export function withProviders(
  facts: (service: Service, providers: TestProviders, engine: EngineName) => void,
  settings?: Record<string, string>,
): void {
  besideServices(async () => ({ codehost: await startCodeHost(), idp: await startOpenIdProvider() }), facts, settings)
}

/** The same with other providers. They and the service are stand-ins until the first test starts. */
export function besideServices<Providers extends object>(
  startAll: () => Promise<Providers>,
  facts: (service: Service, providers: Providers, engine: EngineName) => void,
  settings: Record<string, string> = {},
): void {
  for (const engine of ENGINES) {
    // The two engines may run concurrently. The tests of one engine run one after the other.
    describe(`on ${engine}`, { concurrency: 1 }, () => {
      const service = {} as Service
      const providers = {} as Providers
      const all = () => Object.values<SignInProvider>({ ...(providers as Record<string, SignInProvider>) })
      const suite = suiteCleanUp()
      before(async () => {
        Object.assign(providers, await startAll())
        for (const provider of all()) cleanUp(suite, () => provider.close())
        const theirs = Object.assign({}, ...all().map((provider) => provider.settings))
        Object.assign(service, await startService(engine, { ...theirs, ...settings }))
        cleanUp(suite, () => service.close())
      })
      facts(service, providers, engine)
    })
  }
}

/** The configured address of the services under test. */
export const HOME = 'http://localhost:3000'

/** A user as every kind of provider knows them. */
export interface ProviderPerson {
  email: string | undefined
  verified: boolean
  firstName: string
  lastName: string
  username: string
  avatar: string
}

/** A server at which users sign in. */
export interface SignInProvider extends Pick<LoopbackServer, 'url' | 'down' | 'up' | 'close'> {
  name: ProviderName
  /** The settings of the service for this provider. */
  settings: Record<string, string>
  people: People
  /** The number of attempts to exchange a code. */
  exchanges(): number
}

let admitted = 0

/** The accounts at a provider, by their subject. */
export class People {
  readonly #known = new Map<string, ProviderPerson>()

  /** Creates an account at the provider and returns its subject. */
  admit(person: Partial<ProviderPerson> = {}, subject = String(1000 + ++admitted)): string {
    this.#known.set(subject, {
      email: `ada-${subject}@example.com`,
      verified: true,
      firstName: 'Ada',
      lastName: 'Lovelace',
      username: `ada-${subject}`,
      avatar: `https://images.example/${subject}.png`,
      ...person,
    })
    return subject
  }

  change(subject: string, person: Partial<ProviderPerson>): void {
    this.#known.set(subject, { ...this.get(subject), ...person })
  }

  get(subject: string): ProviderPerson {
    const person = this.#known.get(subject)
    if (!person) throw new Error(`the provider has no user ${subject}`)
    return person
  }
}

/** The cookie with the user who is signed in at a provider, and the cookie of a user who then denies consent. */
export const USER_COOKIE = 'visitor'
export const DENIAL_COOKIE = 'unwilling'

/**
 * The requests of a browser at a provider, from the authorization URL to the callback. Returns the path and the query
 * of the callback.
 */
export async function visitProvider(authorizationUrl: string, visitor: string, as = USER_COOKIE): Promise<string> {
  const jar = new Map([[as, encodeURIComponent(visitor)]])
  let url = authorizationUrl
  for (let hops = 0; hops < 10; hops++) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      jar.set(name, value)
    }
    const body = await response.text()
    const location = response.headers.get('location')
    assert.ok(location, `the provider responded with ${response.status}: ${body}`)
    const { href, origin, pathname, search } = new URL(location, url)
    if (origin !== new URL(authorizationUrl).origin) return pathname + search
    url = href
  }
  throw new Error('the provider redirects in a loop')
}

export interface CodeHost extends SignInProvider {
  /** The current fault of the provider. */
  faults: Partial<Record<'token' | 'user' | 'emails', Fault>>
  /** Every code, token and verifier that the provider issued or received, and its client secret. */
  secrets: Set<string>
}

const CLIENT = { id: 'codehost-client', secret: 'codehost-client-secret' }

interface Grant {
  user: string
  challenge: string
}

/** A code host with the URLs and the behaviour of GitHub. */
export async function startCodeHost(home = HOME): Promise<CodeHost> {
  const redirectUri = `${home}/api/oauth/codehost`
  const people = new People()
  const faults: CodeHost['faults'] = {}
  const secrets = new Set([CLIENT.secret])
  const codes = new Map<string, Grant>()
  const tokens = new Map<string, string>()
  let exchanges = 0

  const newSecret = () => {
    const secret = randomBytes(20).toString('hex')
    secrets.add(secret)
    return secret
  }

  function authorize(request: IncomingMessage, response: ServerResponse, query: URLSearchParams) {
    const parameters = Object.fromEntries(query)
    const isKnown = parameters.client_id === CLIENT.id && parameters.redirect_uri === redirectUri
    if (!isKnown || parameters.code_challenge_method !== 'S256' || !parameters.code_challenge) {
      return sendJson(response, { message: 'Not Found' }, 404)
    }
    // Like GitHub (RFC 9207).
    const common = { state: parameters.state ?? '', iss: `http://${request.headers.host}/login/oauth` }
    if (cookieOf(request, DENIAL_COOKIE)) return redirect(response, redirectUri, { error: 'access_denied', ...common })
    const code = newSecret()
    codes.set(code, { user: cookieOf(request, USER_COOKIE), challenge: parameters.code_challenge })
    redirect(response, redirectUri, { code, ...common })
  }

  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    exchanges += 1
    const form = Object.fromEntries(await readForm(request))
    secrets.add(form.code_verifier ?? '')
    if (await applyFault(response, faults.token)) return
    const tokenResponse = tokenFor(form)
    if (request.headers.accept?.includes('application/json')) return sendJson(response, tokenResponse)
    response.writeHead(200, { 'content-type': 'application/x-www-form-urlencoded' })
    response.end(String(new URLSearchParams(tokenResponse)))
  }

  /** The status is always 200, like GitHub's. */
  function tokenFor(form: Record<string, string>): Record<string, string> {
    if (form.client_id !== CLIENT.id || form.client_secret !== CLIENT.secret) {
      return {
        error: 'incorrect_client_credentials',
        error_description: 'The client_id and/or client_secret are wrong.',
      }
    }
    if (form.redirect_uri !== redirectUri) {
      return { error: 'redirect_uri_mismatch', error_description: 'The redirect_uri does not match.' }
    }
    const grant = codes.get(form.code ?? '')
    codes.delete(form.code ?? '')
    const challenge = createHash('sha256')
      .update(form.code_verifier ?? '')
      .digest('base64url')
    if (grant?.challenge !== challenge) {
      return { error: 'bad_verification_code', error_description: `The code ${form.code} is incorrect or expired.` }
    }
    const token = newSecret()
    tokens.set(token, grant.user)
    return { access_token: token, token_type: 'bearer', scope: 'read:user,user:email' }
  }

  async function tell(request: IncomingMessage, response: ServerResponse, what: 'user' | 'emails') {
    if (await applyFault(response, faults[what])) return
    if (!request.headers['user-agent']) return sendJson(response, { message: 'User-Agent is missing' }, 403)
    const [, token = ''] = /^bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? []
    const subject = tokens.get(token)
    if (!subject) return sendJson(response, { message: 'Bad credentials' }, 401)
    const { email, verified, firstName, lastName, username, avatar } = people.get(subject)
    if (what === 'user') {
      const name = `${firstName} ${lastName}`
      return sendJson(response, { id: Number(subject), login: username, name, avatar_url: avatar, email: null })
    }
    sendJson(response, [
      // Another address of the same user, which must not be used.
      { email: `old-${subject}@example.org`, primary: false, verified, visibility: null },
      ...(email === undefined ? [] : [{ email, primary: true, verified, visibility: 'private' }]),
    ])
  }

  const server = await listenOnLoopback((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://host.invalid')
    if (pathname === '/login/oauth/authorize') return authorize(request, response, searchParams)
    if (pathname === '/login/oauth/access_token') return exchange(request, response)
    if (pathname === '/api/v3/user') return tell(request, response, 'user')
    if (pathname === '/api/v3/user/emails') return tell(request, response, 'emails')
    sendJson(response, { message: 'Not Found' }, 404)
  })

  return {
    ...server,
    name: 'codehost',
    settings: {
      CODEHOST_CLIENT_ID: CLIENT.id,
      CODEHOST_CLIENT_SECRET: CLIENT.secret,
      CODEHOST_URL: server.url,
      CODEHOST_API_URL: `${server.url}/api/v3`,
    },
    people,
    faults,
    secrets,
    exchanges: () => exchanges,
  }
}

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
}

/** A real OpenID provider. The browser is signed in there as the user that the cookie names, and consents. */
export async function startOpenIdProvider(habits: Habits = {}): Promise<SignInProvider> {
  const { claimsIn = 'ID token', authMethod = 'client_secret_post', namesMethods = true } = habits
  const { basic = 'decodes', clientSecret = randomBytes(32).toString('hex') } = habits
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
        redirect_uris: [`${HOME}/api/oauth/idp`],
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
  const provider = new Provider(server.url, configuration)
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

const FAULTY_CLIENT = { id: 'faulty-client', secret: 'faulty-client-secret' }
const KID = 'faulty-key'

/** Makes the ID token of the response from the right claims. Undefined sends no ID token. */
export type IdTokenOverride = (claims: JWTPayload, sign: Sign) => Promise<string | undefined>
type Sign = (
  claims: JWTPayload,
  key?: CryptoKey | Uint8Array,
  header?: { kid?: string; alg?: string },
) => Promise<string>

export interface FaultyOpenIdProvider extends SignInProvider {
  /** While this is undefined, the ID token is right. */
  override: { idToken?: IdTokenOverride | undefined; userInfo?: Record<string, unknown> | undefined }
  faults: Partial<Record<'discovery' | 'jwks' | 'token' | 'userinfo', Fault>>
  /** Every code, token, nonce and verifier that the provider issued or received, and its client secret. */
  secrets: Set<string>
  publicKey: CryptoKey
}

interface FaultyGrant {
  subject: string
  nonce: string
  challenge: string
}

/** An OpenID provider with faults that no real one has. A test sets them; without one the provider is correct. */
export async function startFaultyOpenIdProvider(): Promise<FaultyOpenIdProvider> {
  const people = new People()
  const override: FaultyOpenIdProvider['override'] = {}
  const faults: FaultyOpenIdProvider['faults'] = {}
  const secrets = new Set([FAULTY_CLIENT.secret])
  const codes = new Map<string, FaultyGrant>()
  const tokens = new Map<string, string>()
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  let exchanges = 0

  const keep = (secret: string) => {
    secrets.add(secret)
    return secret
  }
  const sign: Sign = (claims, key = privateKey, header = {}) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: KID, ...header }).sign(key)

  function authorize(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): void {
    const { state = '', nonce = '', code_challenge: challenge = '' } = Object.fromEntries(query)
    // A code may have any printable character.
    const code = keep(`${randomBytes(20).toString('hex')}?+/=&%41`)
    codes.set(code, { subject: cookieOf(request, USER_COOKIE), nonce: keep(nonce), challenge })
    redirect(response, `${HOME}/api/oauth/idp`, { code, state })
  }

  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    exchanges += 1
    const form = Object.fromEntries(await readForm(request))
    const verifier = keep(form.code_verifier ?? '')
    if (await applyFault(response, faults.token)) return
    const grant = codes.get(form.code ?? '')
    codes.delete(form.code ?? '')
    const isRight = createHash('sha256').update(verifier).digest('base64url') === grant?.challenge
    if (!isRight || form.client_secret !== FAULTY_CLIENT.secret) {
      return sendJson(response, { error: 'invalid_grant', error_description: `${form.code} is no code` }, 400)
    }
    const claims = honestClaims(grant)
    const idToken = override.idToken ? await override.idToken(claims, sign) : await sign(claims)
    const accessToken = keep(randomBytes(20).toString('hex'))
    tokens.set(accessToken, grant.subject)
    if (idToken) keep(idToken)
    sendJson(response, { access_token: accessToken, token_type: 'Bearer', expires_in: 300, id_token: idToken })
  }

  function honestClaims({ subject, nonce }: FaultyGrant): JWTPayload {
    const now = Math.floor(Date.now() / 1000)
    return { iss: server.url, aud: FAULTY_CLIENT.id, iat: now, exp: now + 300, nonce, ...profileOf(subject) }
  }

  function profileOf(sub: string) {
    const { email, verified, firstName, lastName, username, avatar } = people.get(sub)
    const names = { given_name: firstName, family_name: lastName, preferred_username: username, picture: avatar }
    return { sub, email, email_verified: verified, ...names }
  }

  async function sendUserInfo({ headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (await applyFault(response, faults.userinfo)) return
    const subject = tokens.get(headers.authorization?.replace(/^Bearer /, '') ?? '')
    if (subject) sendJson(response, { ...profileOf(subject), ...override.userInfo })
    else sendJson(response, { error: 'invalid_token' }, 401)
  }

  async function publishKeys(response: ServerResponse): Promise<void> {
    if (await applyFault(response, faults.jwks)) return
    sendJson(response, { keys: [{ ...(await exportJWK(publicKey)), kid: KID, alg: 'RS256', use: 'sig' }] })
  }

  async function describe(response: ServerResponse): Promise<void> {
    if (await applyFault(response, faults.discovery)) return
    const { url } = server
    sendJson(response, {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      userinfo_endpoint: `${url}/userinfo`,
      jwks_uri: `${url}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      code_challenge_methods_supported: ['S256'],
    })
  }

  const server = await listenOnLoopback((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://host.invalid')
    if (pathname === '/.well-known/openid-configuration') return describe(response)
    if (pathname === '/authorize') return authorize(request, response, searchParams)
    if (pathname === '/token') return exchange(request, response)
    if (pathname === '/userinfo') return sendUserInfo(request, response)
    if (pathname === '/jwks') return publishKeys(response)
    sendJson(response, { error: 'not_found' }, 404)
  })

  return {
    ...server,
    name: 'idp',
    settings: { IDP_ISSUER: server.url, IDP_CLIENT_ID: FAULTY_CLIENT.id, IDP_CLIENT_SECRET: FAULTY_CLIENT.secret },
    people,
    override,
    faults,
    secrets,
    publicKey,
    exchanges: () => exchanges,
  }
}
