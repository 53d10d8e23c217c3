import { createHmac, type KeyObject, randomUUID, sign } from 'node:crypto'
import { JOSEError, JWKSNoMatchingKey } from 'jose/errors'
import { jwtVerify } from 'jose/jwt/verify'
import type { Clock } from '../database/clock.ts'
import { BoundedCache } from '../lib/bounded-cache.ts'
import { type MaybePromise, when } from '../lib/maybe-promise.ts'
import { isSameText } from '../lib/same-text.ts'
import type { KeyRing } from './key-ring.ts'

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
  access(claims: AccessClaims): string
  /** The same claims, times and key always give the same token: neither a MAC nor Ed25519 has randomness. Times in milliseconds. */
  refresh(claims: RefreshClaims, issuedAt: number, expiresAt: number): string
  /** At once for a token that was seen before. */
  verifyAccess(token: string): MaybePromise<AccessClaims | undefined>
  verifyRefresh(token: string): MaybePromise<RefreshClaims | undefined>
  /** What a browser's cookie holds; it cannot be used at the API, nor an API token in a cookie. */
  browser(claims: AccessClaims, seconds: number): string
  verifyBrowser(token: string): MaybePromise<(AccessClaims & { issuedAt: number }) | undefined>
  /** Drops what is remembered of expired tokens. */
  dropExpired(): void
}

// RFC 9068 names the first; the others keep one kind from ever passing for another.
const ACCESS = 'at+jwt'
const REFRESH = 'rt+jwt'
const BROWSER = 'bs+jwt'
/** The kinds that only the service itself reads. They carry a MAC (RFC 7518, section 3.2). */
type OwnKind = typeof REFRESH | typeof BROWSER
type Kind = typeof ACCESS | OwnKind
const MAX_TOKEN_CHARACTERS = 4096
// Room for about 13,000 access tokens of common length.
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

  /** By hand, since jose signs on another thread: three times the work of the signature itself. */
  function issue(typ: Kind, jti: string, { userId, sessionId }: AccessClaims, issuedAt: number, expiresAt: number) {
    const { kid, privateKey, macKey, issuesMacs } = keys.signer()
    const claims = encoded({
      sid: sessionId,
      jti,
      sub: userId,
      iss: baseUrl,
      aud: baseUrl,
      iat: issuedAt,
      exp: expiresAt,
    })
    if (typ !== ACCESS && issuesMacs) {
      const text = `${ownHeader(kid, typ)}.${claims}`
      return `${text}.${macOf(text, macKey)}`
    }
    const text = `${encoded({ alg: 'EdDSA', kid, typ })}.${claims}`
    return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`
  }

  /**
   * A token that only the service itself reads. The key decides the algorithm: a MAC is computed with the MAC key alone, over a
   * header that is, letter by letter, the one this service writes. Every other token is held against the public key: those
   * that were signed before there were MACs are valid until they expire.
   */
  function verifyOwn(token: string, typ: OwnKind): MaybePromise<Payload | undefined> {
    if (token.length > MAX_TOKEN_CHARACTERS) return undefined
    const [header = '', claims = ''] = token.split('.', 2)
    const kid = kidIn(header)
    if (kid === undefined || header !== ownHeader(kid, typ)) return verifySigned(token, typ)
    const text = `${header}.${claims}`
    return when(keys.find(kid), (key) =>
      key && isSameText(token, `${text}.${macOf(text, key.macKey)}`) ? living(claims) : undefined,
    )
  }

  /** The claims of a token that this service wrote, while it is valid here. */
  function living(claims: string): Payload | undefined {
    const payload = decoded(claims) as Payload & { iss: string; aud: string }
    const isOurs = payload.iss === baseUrl && payload.aud === baseUrl
    return isOurs && payload.exp > seconds(clock.now()) ? payload : undefined
  }

  async function verifySigned(token: string, typ: Kind): Promise<Payload | undefined> {
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

  async function remember(token: string): Promise<AccessClaims | undefined> {
    const payload = await verifySigned(token, ACCESS)
    if (!payload) return undefined
    const claims = { userId: payload.sub, sessionId: payload.sid }
    verified.set(token, claims, payload.exp * 1000)
    return claims
  }

  return {
    access(claims) {
      const now = seconds(clock.now())
      return issue(ACCESS, randomUUID(), claims, now, now + ACCESS_SECONDS)
    },
    refresh: (claims, issuedAt, expiresAt) =>
      issue(REFRESH, claims.refreshId, claims, seconds(issuedAt), seconds(expiresAt)),
    verifyAccess(token) {
      // Checking a signature costs more than the rest of a small request; its outcome never changes. Whether the
      // session still lives is asked of the database each time.
      return verified.get(token) ?? remember(token)
    },
    verifyRefresh: (token) =>
      when(
        verifyOwn(token, REFRESH),
        (payload) => payload && { userId: payload.sub, sessionId: payload.sid, refreshId: payload.jti },
      ),
    browser(claims, lifetime) {
      const now = seconds(clock.now())
      return issue(BROWSER, randomUUID(), claims, now, now + lifetime)
    },
    verifyBrowser: (token) =>
      when(
        verifyOwn(token, BROWSER),
        (payload) => payload && { userId: payload.sub, sessionId: payload.sid, issuedAt: payload.iat * 1000 },
      ),
    dropExpired: () => verified.dropExpired(),
  }
}

function ownHeader(kid: string, typ: OwnKind): string {
  return encoded({ alg: 'HS256', kid, typ })
}

function macOf(text: string, key: KeyObject): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

function kidIn(header: string): string | undefined {
  try {
    const { kid } = decoded(header) as { kid?: unknown }
    return typeof kid === 'string' ? kid : undefined
  } catch {
    return undefined
  }
}

/**
 * Whether each part is the one spelling of its bytes. The last character of a part may have bits that decode to nothing
 * (RFC 4648, section 3.5): a signature of 64 bytes has 16 spellings, and all of them verify.
 */
function isCanonical(token: string): boolean {
  return token.split('.', 4).every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

function decoded(part: string): unknown {
  return JSON.parse(Buffer.from(part, 'base64url').toString())
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}
