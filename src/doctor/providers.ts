import { randomBytes } from 'node:crypto'
import { Refusal } from '../http/refusal.ts'
import type { Provider } from '../oauth/identity.ts'
import { createProviders } from '../oauth/providers.ts'
import { type Check, type CheckParts, fault, type Observation, ok, skipped } from './finding.ts'
import { parseJson, reasonOf, visit } from './visit.ts'

/** Sign-in providers: are they there, and do they accept this service? */
export const checkProviders: Check = async (parts) => {
  const providers = Object.values(await createProviders(parts.config)).filter((provider) => provider !== undefined)
  if (providers.length === 0) return [skipped('none is configured')]
  const observations = await Promise.all(providers.map((provider) => observeProvider(provider, parts)))
  return observations.flat()
}

async function observeProvider(provider: Provider, { config, signal, redact }: CheckParts): Promise<Observation[]> {
  const { name, title } = provider
  const redirectUri = `${config.baseUrl}/api/oauth/${name}`
  const problem = name === 'idp' ? await whyNoDiscovery(config.idp?.issuer ?? '', signal, redact) : undefined
  if (problem) return [problem]
  const refusal =
    (await whyClientRefused(provider, redirectUri, config.idp?.issuer, redact)) ??
    (await whyRedirectRefused(provider, redirectUri, signal))
  return [refusal ?? ok(`${title} responds. The redirect address that must be registered there: ${redirectUri}`)]
}

const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri']

/** Reads the discovery document (OpenID Connect Discovery 1.0, section 4). */
async function whyNoDiscovery(
  issuer: string,
  signal: AbortSignal,
  redact: CheckParts['redact'],
): Promise<Observation | undefined> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const remedy = 'Set IDP_ISSUER to the issuer exactly as the provider writes it.'
  let document: Record<string, unknown>
  try {
    const { status, body } = await visit(url, { signal })
    if (status !== 200) return fault(`${url} responds with ${status}`, remedy)
    document = (parseJson(body) ?? {}) as Record<string, unknown>
  } catch (error) {
    return fault(`${url} cannot be read: ${reasonOf(error).reason}`, remedy)
  }
  const written = String(document.issuer ?? 'nothing')
  if (URL.parse(written)?.href !== new URL(issuer).href) {
    const name = redact(written)
    return fault(`the provider calls itself ${name}, and IDP_ISSUER is ${issuer}`, `Set IDP_ISSUER=${name}`)
  }
  const missing = ENDPOINTS.filter((endpoint) => typeof document[endpoint] !== 'string')
  return missing.length > 0 ? fault(`${url} has no ${missing.join(' and no ')}`, remedy) : undefined
}

/** Exchanges a code that does not exist: a provider that does not know the client says so. */
async function whyClientRefused(
  { name, title, identify }: Provider,
  redirectUri: string,
  issuer: string | undefined,
  redact: CheckParts['redact'],
): Promise<Observation | undefined> {
  const handshake = newHandshake()
  const parameters = {
    code: 'portico-doctor',
    state: handshake.state,
    ...(name === 'idp' && issuer && { iss: issuer }),
  }
  const callback = new URL(`${redirectUri}?${new URLSearchParams(parameters)}`)
  const error = await identify(callback, handshake).catch((error: unknown) => error)
  const setting = name.toUpperCase()
  if (error instanceof Refusal && error.cause instanceof Error) {
    const cause = redact(error.cause.message)
    if (error.cause.message.includes('does not accept')) {
      return fault(cause, `Copy ${setting}_CLIENT_ID and ${setting}_CLIENT_SECRET from ${title} again.`)
    }
    if (error.kind.code === 'provider_unreachable') {
      return fault(`${title} does not respond to a sign-in: ${cause}`, `Check ${setting}_… in the settings.`)
    }
  }
  return undefined
}

/** Begins a sign-in: many providers refuse an unknown redirect address at once. */
async function whyRedirectRefused(
  { title, authorizationUrl }: Provider,
  redirectUri: string,
  signal: AbortSignal,
): Promise<Observation | undefined> {
  const { status } = await visit((await authorizationUrl(newHandshake())).href, { signal })
  if (status < 400) return undefined
  return fault(
    `${title} refuses to begin a sign-in (${status}): the redirect address is probably not registered`,
    `Register ${redirectUri} at ${title}.`,
  )
}

function newHandshake() {
  const secret = () => randomBytes(32).toString('base64url')
  return { state: secret(), codeVerifier: secret(), nonce: secret() }
}
