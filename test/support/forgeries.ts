import { createPublicKey, randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair } from 'jose'
import { get, type Person } from './api.ts'
import { forgedToken, inSeconds, unsignedToken } from './forged-token.ts'
import type { Service } from './service.ts'

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
/** The public key is known to all; as the secret of an HMAC it must not open anything. */
const withPublicKeyAsSecret =
  (secret: (publicJwk: { x: string }) => string | Buffer): Forgery =>
  async (service, person) => {
    const { keys } = (await get(service, '/.well-known/jwks.json')).body
    return forgedToken(service, person, { header: { alg: 'HS256' }, key: Buffer.from(secret(keys[0])) })
  }

/** Access tokens that each have one fault, and what it is. */
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
  ['with a key name that nobody made', withHeader({ kid: randomUUID() })],
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
  ['of nobody', withClaims(() => ({ sub: undefined }))],
  ['without a session', withClaims(() => ({ sid: undefined }))],
  ['of somebody else in this session', withClaims(({ userId }) => ({ sub: userId }))],
  [
    "with somebody else's claims and its own signature",
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
