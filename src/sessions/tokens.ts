import { randomUUID, sign } from 'node:crypto'
import type { JWTPayload } from 'jose'
import { JOSEError, JWKSNoMatchingKey } from 'jose/errors'
import { jwtVerify } from 'jose/jwt/verify'
import { BoundedCache } from '../bounded-cache.ts'
import type { Clock } from '../database/clock.ts'
import type { Soon } from '../soon.ts'
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
  /** The same claims and times always give the same token: Ed25519 signatures have no randomness. Times in milliseconds. */
  refresh(claims: RefreshClaims, issuedAt: number, expiresAt: number): string
  /** At once for a token that was seen before. */
  verifyAccess(token: string): Soon<AccessClaims | undefined>
  verifyRefresh(token: string): Promise<RefreshClaims | undefined>
  /** What a browser's cookie holds; it cannot be used at the API, nor an API token in a cookie. */
  browser(claims: AccessClaims, seconds: number): string
  verifyBrowser(token: string): Promise<(AccessClaims & { issuedAt: number }) | undefined>
  /** Drops what is remembered of expired tokens. */
  dropExpired(): void
}

// RFC 9068 names the first; the others keep one kind from ever passing for another.
const ACCESS = 'at+jwt'
const REFRESH = 'rt+jwt'
const BROWSER = 'bs+jwt'
const LONGEST = 4096
// Room for about 13,000 access tokens of common length.
const VERIFIED_CACHE_BYTES = 16 * 1024 * 1024

export function createTokens(keys: KeyRing, baseUrl: string, clock: Pick<Clock, 'now'>): Tokens {
  const verified = new BoundedCache<AccessClaims>(VERIFIED_CACHE_BYTES, clock.now)

  /** By hand, since jose signs on another thread: three times the work of the signature itself. */
  function issue(typ: string, jti: string, { userId, sessionId }: AccessClaims, issuedAt: number, expiresAt: number) {
    const { kid, privateKey } = keys.signer()
    const claims = {
      sid: sessionId,
      jti,
      sub: userId,
      iss: baseUrl,
      aud: baseUrl,
      iat: issuedAt,
      exp: expiresAt,
    }
    const text = `${encoded({ alg: 'EdDSA', kid, typ })}.${encoded(claims)}`
    return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`
  }

  async function verify(
    token: string,
    typ: string,
  ): Promise<(Required<Pick<JWTPayload, 'sub' | 'jti' | 'iat' | 'exp'>> & { sid: string }) | undefined> {
    if (token.length > LONGEST || !isCanonical(token)) return undefined
    try {
      const { payload } = await jwtVerify<{ sid: string; sub: string; jti: string; iat: number; exp: number }>(
        token,
        async ({ kid }) => (kid && (await keys.find(kid))) || Promise.reject(new JWKSNoMatchingKey()),
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
    const payload = await verify(token, ACCESS)
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
    async verifyRefresh(token) {
      const payload = await verify(token, REFRESH)
      return payload && { userId: payload.sub, sessionId: payload.sid, refreshId: payload.jti }
    },
    browser(claims, lifetime) {
      const now = seconds(clock.now())
      return issue(BROWSER, randomUUID(), claims, now, now + lifetime)
    },
    async verifyBrowser(token) {
      const payload = await verify(token, BROWSER)
      return payload && { userId: payload.sub, sessionId: payload.sid, issuedAt: payload.iat * 1000 }
    },
    dropExpired: () => verified.dropExpired(),
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

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}
