import { randomUUID } from 'node:crypto'
import { decodeJwt, importJWK, type JWK, SignJWT } from 'jose'
import type { Person } from './api.ts'
import type { Service } from './service.ts'

/** The very key that the service signs with. */
async function stolenKey({ portico: { database } }: Service): Promise<{ kid: string; jwk: JWK }> {
  const { kid, private_jwk } = await database.query
    .selectFrom('signing_keys')
    .select(['kid', 'private_jwk'])
    .where('retired_at', 'is', null)
    .executeTakeFirstOrThrow()
  return { kid, jwk: JSON.parse(private_jwk) }
}

interface Changes {
  header?: Record<string, unknown>
  claims?: Record<string, unknown>
  key?: Parameters<SignJWT['sign']>[0]
}

/** An access token as the service itself would sign it, but for the changes. Undefined leaves a part out. */
export async function forgedToken(service: Service, person: Person, changes: Changes = {}): Promise<string> {
  const { kid, jwk } = await stolenKey(service)
  return new SignJWT({ ...honestClaims(service, person), ...changes.claims })
    .setProtectedHeader({ alg: 'EdDSA', kid, typ: 'at+jwt', ...changes.header })
    .sign(changes.key ?? (await importJWK(jwk, 'EdDSA')), { crit: { 'x-made-up': true } })
}

/** A refresh token as the service itself would write it, with the key it has for these, but for the changes. */
export async function forgedRefreshToken(service: Service, person: Person, changes: Changes = {}): Promise<string> {
  const { kid, macKey } = service.portico.keys.signer()
  const { jti = '' } = decodeJwt(person.refreshToken)
  return new SignJWT({ ...honestClaims(service, person), jti, ...changes.claims })
    .setProtectedHeader({ alg: 'HS256', kid, typ: 'rt+jwt', ...changes.header })
    .sign(changes.key ?? macKey)
}

/** A refresh token as versions signed it that had no MAC. */
export function signedRefreshToken(service: Service, person: Person, claims: Record<string, unknown> = {}) {
  const { jti = '' } = decodeJwt(person.refreshToken)
  return forgedToken(service, person, { header: { typ: 'rt+jwt' }, claims: { jti, ...claims } })
}

/** A token that claims the right things and has no signature. */
export async function unsignedToken(service: Service, person: Person, alg: string, typ = 'at+jwt'): Promise<string> {
  const { kid } = await stolenKey(service)
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  return `${encode({ alg, kid, typ })}.${encode(honestClaims(service, person))}.`
}

export const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

function honestClaims({ portico }: Service, { userId, sessionId }: Person) {
  const { baseUrl } = portico.config
  const times = { iat: inSeconds(0), exp: inSeconds(900) }
  return { sub: userId, sid: sessionId, jti: randomUUID(), iss: baseUrl, aud: baseUrl, ...times }
}
