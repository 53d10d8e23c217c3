import { createPublicKey, randomUUID } from 'node:crypto'
import { decodeJwt, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import { get, type Person } from './api.ts'
import type { Service } from './service.ts'

/** The key that the service signs with. */
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

/** An access token that the service itself would sign, except for the changes. Undefined leaves a claim out. */
export async function forgedToken(service: Service, person: Person, changes: Changes = {}): Promise<string> {
  const { kid, jwk } = await stolenKey(service)
  return new SignJWT({ ...honestClaims(service, person), ...changes.claims })
    .setProtectedHeader({ alg: 'EdDSA', kid, typ: 'at+jwt', ...changes.header })
    .sign(changes.key ?? (await importJWK(jwk, 'EdDSA')), { crit: { 'x-made-up': true } })
}

/** A refresh token that the service itself would create with its own key, except for the changes. */
export async function forgedRefreshToken(service: Service, person: Person, changes: Changes = {}): Promise<string> {
  const { kid, macKey } = service.portico.keys.signer()
  const { jti = '' } = decodeJwt(person.refreshToken)
  return new SignJWT({ ...honestClaims(service, person), jti, ...changes.claims })
    .setProtectedHeader({ alg: 'HS256', kid, typ: 'rt+jwt', ...changes.header })
    .sign(changes.key ?? macKey)
}

/** A refresh token in the format of the versions that signed it and had no MAC. */
export function signedRefreshToken(service: Service, person: Person, claims: Record<string, unknown> = {}) {
  const { jti = '' } = decodeJwt(person.refreshToken)
  return forgedToken(service, person, { header: { typ: 'rt+jwt' }, claims: { jti, ...claims } })
}

/** A token with the right claims and no signature. */
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

type Forgery = (service: Service, person: Person, stranger: Person) => string | Promise<string>

const withHeader =
  (header: Record<string, unknown>): Forgery =>
  (service, person) =>
    forgedToken(service, person, { header })
const withClaims =
  (claims: (stranger: Person) => Record<string, unknown>): Forgery =>
  (service, person, stranger) =>
    forgedToken(service, person, { claims: claims(stranger) })
const withOwnKey =
  (header: (publicJwk: object) => object): Forgery =>
  async (service, person) => {
    const { privateKey, publicKey } = await generateKeyPair('EdDSA')
    return forgedToken(service, person, { header: { ...header(await exportJWK(publicKey)) }, key: privateKey })
  }
/** The public key is public: a token with an HMAC keyed by it must not be accepted. */
const withPublicKeyAsSecret =
  (secret: (publicJwk: { x: string }) => string | Buffer): Forgery =>
  async (service, person) => {
    const { keys } = (await get(service, '/.well-known/jwks.json')).body
    return forgedToken(service, person, { header: { alg: 'HS256' }, key: Buffer.from(secret(keys[0])) })
  }

/** Access tokens that each have one defect, by that defect. */
export const FORGERIES: [string, Forgery][] = [
  ['without a signature, alg none', (service, person) => unsignedToken(service, person, 'none')],
  ['without a signature, alg None', (service, person) => unsignedToken(service, person, 'None')],
  ['without a signature, alg EdDSA', (service, person) => unsignedToken(service, person, 'EdDSA')],
  ['signed by HMAC with the public key', withPublicKeyAsSecret(({ x }) => Buffer.from(x, 'base64url'))],
  ['signed by HMAC with the public JWK', withPublicKeyAsSecret((jwk) => JSON.stringify(jwk))],
  [
    'signed by HMAC with the public key as PEM',
    withPublicKeyAsSecret((key) => createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' })),
  ],
  ['with another name of the algorithm', withHeader({ alg: 'Ed25519' })],
  ['with a key name that is a path', withHeader({ kid: '../x' })],
  ['with an unknown key name', withHeader({ kid: randomUUID() })],
  ['without a key name', withHeader({ kid: undefined })],
  ['with another key under a known name', withOwnKey(() => ({}))],
  ['with a key of its own', withOwnKey((jwk) => ({ jwk }))],
  ['with a key of its own and no name', withOwnKey((jwk) => ({ jwk, kid: undefined }))],
  [
    'with an address of keys',
    withOwnKey(() => ({ jku: 'https://evil.example/jwks.json', x5u: 'https://evil.example' })),
  ],
  ['of another type', withHeader({ typ: 'JWT' })],
  ['without a type', withHeader({ typ: undefined })],
  ['that is a refresh token', (_service, { refreshToken }) => refreshToken],
  ['of the type of a refresh token', withHeader({ typ: 'rt+jwt' })],
  ['with an unknown critical header', withHeader({ crit: ['x-made-up'], 'x-made-up': 1 })],
  ['for another audience', withClaims(() => ({ aud: 'https://example.com' }))],
  ['for no audience', withClaims(() => ({ aud: undefined }))],
  ['of another issuer', withClaims(() => ({ iss: 'https://example.com' }))],
  ['of no issuer', withClaims(() => ({ iss: undefined }))],
  ['that expired a second ago', withClaims(() => ({ exp: inSeconds(-1) }))],
  ['that never expires', withClaims(() => ({ exp: undefined }))],
  ['that is not valid yet', withClaims(() => ({ nbf: inSeconds(3600) }))],
  ['without a subject', withClaims(() => ({ sub: undefined }))],
  ['without a session', withClaims(() => ({ sid: undefined }))],
  ['of another user in this session', withClaims(({ userId }) => ({ sub: userId }))],
  [
    "with another user's claims and its own signature",
    (_service, { accessToken }, stranger) => {
      const [header, , signature] = accessToken.split('.')
      return [header, stranger.accessToken.split('.')[1], signature].join('.')
    },
  ],
  ['with half of its signature', (_service, { accessToken }) => accessToken.slice(0, -43)],
  ['of 30 kB', () => 'a'.repeat(30_000)],
  ['of 30 kB, rightly signed', withClaims(() => ({ padding: 'a'.repeat(22_000) }))],
  ['that is only dots', () => '..'],
  ['that is a word', () => 'undefined'],
]
