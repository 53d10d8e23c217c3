import * as openid from 'openid-client'
import type { ProviderName } from '../database/enumerations.ts'
import { Refusal } from '../http/refusal.ts'
import { boundedFetch } from '../lib/bounded-fetch.ts'
import { traceHeaders } from '../lib/trace-context.ts'
import { type Handshake, providerUnreachable, refusedByProvider } from './identity.ts'

/** The timeout of one request to a provider. */
export const REQUEST_TIMEOUT_SECONDS = 5
// All requests of one sign-in together.
const SIGN_IN_TIMEOUT_MS = 9_000

export const fetchFromProvider: openid.CustomFetch = (url, options) =>
  boundedFetch(url, { ...options, headers: { ...options.headers, ...traceHeaders() } } as RequestInit)

/** Allows plain HTTP for a provider on a developer's machine. The configuration refuses such a URL in production. */
export function allowHttp(url: string): ((config: openid.Configuration) => void)[] {
  return url.startsWith('http:') ? [openid.allowInsecureRequests] : []
}

export async function authorizationParameters(redirectUri: string, scope: string, { state, codeVerifier }: Handshake) {
  return {
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
  }
}

/**
 * Runs the requests of one sign-in with a timeout. Throws `refusedByProvider` when the provider refused the sign-in,
 * and `providerUnreachable` for any other error.
 */
export async function callProvider<T>(name: ProviderName, work: () => Promise<T>): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('the provider took too long')), SIGN_IN_TIMEOUT_MS)
  try {
    return await Promise.race([work(), timeout])
  } catch (error) {
    if (error instanceof Refusal) throw error
    if (!isProviderRefusal(error)) throw new Refusal(providerUnreachable, { cause: withoutSecrets(error) })
    throw new Refusal(refusedByProvider, { cause: configurationError(name, error) })
  } finally {
    clearTimeout(timer)
  }
}

// The openid-client errors of a response that refuses the sign-in, or that fails a check of the protocol.
const REFUSAL_CODES = new Set([
  'OAUTH_AUTHORIZATION_RESPONSE_ERROR',
  'OAUTH_RESPONSE_BODY_ERROR',
  'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
])

function isProviderRefusal(error: unknown): boolean {
  return REFUSAL_CODES.has(codeOf(error))
}

/** The error for the log when the provider does not accept the configured client. Only the operator can correct it. */
function configurationError(name: ProviderName, error: unknown): Error | undefined {
  const setting = name.toUpperCase()
  return isUnknownClient(error)
    ? new Error(
        `the provider does not accept ${setting}_CLIENT_ID with ${setting}_CLIENT_SECRET: ${oauthErrorOf(error)}`,
      )
    : undefined
}

/** Whether the provider does not accept the client id or the client secret. */
export function isUnknownClient(error: unknown): boolean {
  return UNKNOWN_CLIENT_ERRORS.has(oauthErrorOf(error))
}

// The first two are of RFC 6749, section 5.2. The third is of GitHub.
const UNKNOWN_CLIENT_ERRORS = new Set(['invalid_client', 'unauthorized_client', 'incorrect_client_credentials'])

/** The `error` parameter of the provider's response (RFC 6749, section 5.2), or an empty text. */
export function oauthErrorOf(error: unknown): string {
  if (error instanceof openid.ResponseBodyError) return error.error
  // A Basic challenge asks for client authentication (RFC 6749, section 5.2).
  if (error instanceof openid.WWWAuthenticateChallengeError) {
    return error.cause.some(({ scheme }) => scheme === 'basic') ? 'invalid_client' : ''
  }
  // GitHub sends errors with status 200, which openid-client reports as an invalid response body.
  const { cause } = ((error as Error).cause ?? {}) as { cause?: { body?: { error?: unknown } } }
  return String(cause?.body?.error ?? '')
}

/** An error for the log with names and codes only. Errors of openid-client may contain codes, tokens and claims. */
export function withoutSecrets(error: unknown): Error {
  const cause = error instanceof Error ? codeOf(error.cause) : ''
  const details = [error instanceof Error ? error.name : '', codeOf(error), cause].filter(Boolean)
  return new Error(`the sign-in provider failed: ${details.join(' ')}`)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
