import { createHmac, type KeyObject, randomUUID, sign } from 'node:crypto'
import { JOSEError, JWKSNoMatchingKey } from 'jose/errors'
import { jwtVerify } from 'jose/jwt/verify'
import type { Clock } from '../database/clock.ts'
import type { Role } from '../database/enumerations.ts'
import { BoundedCache } from '../lib/bounded-cache.ts'
import { chain, type MaybePromise } from '../lib/maybe-promise.ts'
import { isSameText } from '../lib/same-text.ts'
import type { KeyRing } from './key-ring.ts'
import type { Proof } from './proof-methods.ts'

export const ACCESS_SECONDS = 15 * 60
export const REFRESH_SECONDS = 30 * 24 * 60 * 60

export interface AccessClaims {
  userId: string
  sessionId: string
}

export interface RefreshClaims extends AccessClaims {
  refreshId: string
}

export interface Tokens {
  /**
   * Carries when and how the account holder has proved their identity: `auth_time` and `amr` (RFC 9068, section 2.2.1).
   * `role` is for the programs of the site: this service reads the role from the database.
   */
  issueAccess(claims: AccessClaims & Proof & { role: Role }): string
  /** Deterministic, because HMAC and Ed25519 use no randomness: the same claims, times and key give the same token. */
  issueRefresh(claims: RefreshClaims, issuedAtMs: number, expiresAtMs: number): string
  /** Returns without a promise for a token in the cache. */
  verifyAccess(token: string): MaybePromise<AccessClaims | undefined>
  verifyRefresh(token: string): MaybePromise<RefreshClaims | undefined>
  /** The token of the browser's session cookie. The API does not accept it, and the cookie accepts no API token. */
  issueBrowser(claims: AccessClaims, seconds: number): string
  verifyBrowser(token: string): MaybePromise<(AccessClaims & { issuedAtMs: number }) | undefined>
  /** Removes expired tokens from the cache. */
  dropExpired(): void
}

// The `typ` of each kind of token, so that one kind is never accepted as another (RFC 8725, section 3.11). The type of
// access tokens is that of RFC 9068, section 2.1.
const ACCESS = 'at+jwt'
const REFRESH = 'rt+jwt'
const BROWSER = 'bs+jwt'
/** Tokens that only this service verifies. They have a MAC (HS256: RFC 7518, section 3.2) instead of a signature. */
type InternalType = typeof REFRESH | typeof BROWSER
type TokenType = typeof ACCESS | InternalType
const MAX_TOKEN_CHARACTERS = 4096
// Room for about 18,000 access tokens of common length.
const VERIFIED_CACHE_BYTES = 16 * 1024 * 1024

interface Payload {
  sid: string
  jti: string
  sub: string
  iat: number
  exp: number
}

export function createTokens(keys: KeyRing, baseUrl: string, clock: Pick<Clock, 'now'>): Tokens {
  const verified = new BoundedCache<AccessClaims>(VERIFIED_CACHE_BYTES, clock.now)

  /** Signs with node:crypto. jose signs on the libuv thread pool, which costs three times the CPU of the signature. */
  function issue(
    typ: TokenType,
    jti: string,
    { userId, sessionId }: AccessClaims,
    issuedAtSeconds: number,
    expiresAtSeconds: number,
    ownClaims?: { role: Role; auth_time: number; amr: string[] },
  ) {
    const { kid, privateKey, macKey, issuesMacs } = keys.signer()
    const claims = encode({
      sid: sessionId,
      jti,
      sub: userId,
      iss: baseUrl,
      aud: baseUrl,
      iat: issuedAtSeconds,
      exp: expiresAtSeconds,
      ...ownClaims,
    })
    if (typ !== ACCESS && issuesMacs) {
      const text = `${internalHeader(kid, typ)}.${claims}`
      return `${text}.${macOf(text, macKey)}`
    }
    const text = `${encode({ alg: 'EdDSA', kid, typ })}.${claims}`
    return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`
  }

  /**
   * Verifies a refresh or browser token. A token whose header is exactly the one that this service writes for a MAC is
   * verified with the MAC key. Any other token is verified with the public key: tokens that were signed by a version
   * without MACs stay valid until they expire. Each key is used with one algorithm only (RFC 8725, section 3.1).
   */
  function verifyInternal(token: string, typ: InternalType): MaybePromise<Payload | undefined> {
    if (token.length > MAX_TOKEN_CHARACTERS) return undefined
    const [header = '', claims = ''] = token.split('.', 2)
    const kid = kidIn(header)
    if (kid === undefined || header !== internalHeader(kid, typ)) return verifySigned(token, typ)
    const text = `${header}.${claims}`
    return chain(keys.find(kid), (key) =>
      key && isSameText(token, `${text}.${macOf(text, key.macKey)}`) ? validPayload(claims) : undefined,
    )
  }

  /** The payload of a token whose MAC is verified, or undefined when it has expired or has another issuer. */
  function validPayload(claims: string): Payload | undefined {
    const payload = decode(claims) as Payload & { iss: string; aud: string }
    const isIssuedHere = payload.iss === baseUrl && payload.aud === baseUrl
    return isIssuedHere && payload.exp > seconds(clock.now()) ? payload : undefined
  }

  async function verifySigned(token: string, typ: TokenType): Promise<Payload | undefined> {
    if (token.length > MAX_TOKEN_CHARACTERS || !isCanonical(token)) return undefined
    try {
      const { payload } = await jwtVerify<Payload>(
        token,
        async ({ kid }) => (kid && (await keys.find(kid))?.publicKey) || Promise.reject(new JWKSNoMatchingKey()),
        {
          algorithms: ['EdDSA'],
          issuer: baseUrl,
          audience: baseUrl,
          typ,
          requiredClaims: ['sub', 'sid', 'jti', 'iat', 'exp'],
          currentDate: new Date(clock.now()),
        },
      )
      return payload
    } catch (error) {
      if (error instanceof JOSEError) return undefined
      throw error
    }
  }

  async function verifyAndCache(token: string): Promise<AccessClaims | undefined> {
    const payload = await verifySigned(token, ACCESS)
    if (!payload) return undefined
    const claims = { userId: payload.sub, sessionId: payload.sid }
    verified.set(token, claims, payload.exp * 1000)
    return claims
  }

  return {
    issueAccess(claims) {
      const now = seconds(clock.now())
      const { role, authenticatedAt, methods } = claims
      const ownClaims = { role, auth_time: seconds(authenticatedAt), amr: methods }
      return issue(ACCESS, randomUUID(), claims, now, now + ACCESS_SECONDS, ownClaims)
    },
    issueRefresh: (claims, issuedAtMs, expiresAtMs) =>
      issue(REFRESH, claims.refreshId, claims, seconds(issuedAtMs), seconds(expiresAtMs)),
    verifyAccess(token) {
      // Verifying a signature costs more than the rest of a small request, and its result never changes. Whether the
      // session is active is read from the database with every request.
      return verified.get(token) ?? verifyAndCache(token)
    },
    verifyRefresh: (token) =>
      chain(
        verifyInternal(token, REFRESH),
        (payload) => payload && { userId: payload.sub, sessionId: payload.sid, refreshId: payload.jti },
      ),
    issueBrowser(claims, lifetime) {
      const now = seconds(clock.now())
      return issue(BROWSER, randomUUID(), claims, now, now + lifetime)
    },
    verifyBrowser: (token) =>
      chain(
        verifyInternal(token, BROWSER),
        (payload) => payload && { userId: payload.sub, sessionId: payload.sid, issuedAtMs: payload.iat * 1000 },
      ),
    dropExpired: () => verified.dropExpired(),
  }
}

function internalHeader(kid: string, typ: InternalType): string {
  return encode({ alg: 'HS256', kid, typ })
}

function macOf(text: string, key: KeyObject): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

function kidIn(header: string): string | undefined {
  try {
    const { kid } = decode(header) as { kid?: unknown }
    return typeof kid === 'string' ? kid : undefined
  } catch {
    return undefined
  }
}

/**
 * Whether each part of a token is the canonical base64url encoding of its bytes. The last character of a part may have
 * pad bits that decoders ignore (RFC 4648, section 3.5): a signature of 64 bytes has 16 encodings, which all verify.
 */
function isCanonical(token: string): boolean {
  return token.split('.', 4).every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

function decode(part: string): unknown {
  return JSON.parse(Buffer.from(part, 'base64url').toString())
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}
