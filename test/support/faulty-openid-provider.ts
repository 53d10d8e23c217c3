import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { applyFault, cookieOf, type Fault, listenOnLoopback, readForm, redirect, sendJson } from './local-servers.ts'
import { HOME, People, type SignInProvider, USER_COOKIE } from './providers.ts'

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
