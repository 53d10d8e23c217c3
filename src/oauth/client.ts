import * as openid from 'openid-client'
import type { ProviderName } from '../database/tables.ts'
import { Refusal } from '../http/refusal.ts'
import { boundedFetch } from '../lib/bounded-fetch.ts'
import { type Handshake, providerUnreachable, refusedByProvider } from './identity.ts'

/** One request to a provider may take so long, and all requests of one sign-in together. */
export const REQUEST_SECONDS = 5
const SIGN_IN_TIMEOUT_MS = 9_000

export const fetchFromProvider: openid.CustomFetch = (url, options) => boundedFetch(url, options as RequestInit)

/** Plain HTTP is for providers on a developer's own machine; the configuration refuses it in production. */
export function allowHttp(address: string): ((config: openid.Configuration) => void)[] {
  return address.startsWith('http:') ? [openid.allowInsecureRequests] : []
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

/** Talks to a provider within the time limit, and turns what goes wrong into one of two refusals. */
export async function talkingToProvider<T>(name: ProviderName, work: () => Promise<T>): Promise<T> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('the provider took too long')), SIGN_IN_TIMEOUT_MS)
  try {
    return await Promise.race([work(), tooLate])
  } catch (error) {
    if (error instanceof Refusal) throw error
    if (!isAnswer(error)) throw new Refusal(providerUnreachable, { cause: withoutSecrets(error) })
    throw new Refusal(refusedByProvider, { cause: faultOfOperator(name, error) })
  } finally {
    clearTimeout(timer)
  }
}

// What these codes name is an answer that came and was not acceptable; anything else is no proper answer at all.
const NOT_ACCEPTABLE = new Set([
  'OAUTH_AUTHORIZATION_RESPONSE_ERROR',
  'OAUTH_RESPONSE_BODY_ERROR',
  'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
])

function isAnswer(error: unknown): boolean {
  return NOT_ACCEPTABLE.has(codeOf(error))
}

/** When it is us whom the provider does not know, the person can do nothing about it; whoever set it up can. */
function faultOfOperator(name: ProviderName, error: unknown): Error | undefined {
  const setting = name.toUpperCase()
  return isUnknownClient(error)
    ? new Error(`the provider does not accept ${setting}_CLIENT_ID with ${setting}_CLIENT_SECRET: ${reasonOf(error)}`)
    : undefined
}

/** Whether the provider does not know the client, or not with this secret. */
export function isUnknownClient(error: unknown): boolean {
  return NOT_KNOWN_THERE.has(reasonOf(error))
}

// RFC 6749 has the first two; GitHub has a word of its own.
const NOT_KNOWN_THERE = new Set(['invalid_client', 'unauthorized_client', 'incorrect_client_credentials'])

/** The provider's one word for it, wherever the protocol's errors keep it. */
export function reasonOf(error: unknown): string {
  if (error instanceof openid.ResponseBodyError) return error.error
  // It wants to know by HTTP's own means who is asking: for Basic, that is the client.
  if (error instanceof openid.WWWAuthenticateChallengeError) {
    return error.cause.some(({ scheme }) => scheme === 'basic') ? 'invalid_client' : ''
  }
  // GitHub says 200 to everything.
  const { cause } = ((error as Error).cause ?? {}) as { cause?: { body?: { error?: unknown } } }
  return String(cause?.body?.error ?? '')
}

/** Errors of the protocol carry codes, tokens and claims; a log must not. */
export function withoutSecrets(error: unknown): Error {
  const cause = error instanceof Error ? codeOf(error.cause) : ''
  const what = [error instanceof Error ? error.name : '', codeOf(error), cause].filter(Boolean)
  return new Error(`the sign-in provider failed: ${what.join(' ')}`)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
