import assert from 'node:assert/strict'
import { createPublicKey, randomBytes, randomUUID } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { decodeProtectedHeader, type JWK } from 'jose'
import { newSigningKey } from '../../src/database/signing-key.ts'
import { assertAlive, crowd, refreshed, tryRefresh } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, get, type Person } from '../support/api.ts'
import { forgedRefreshToken, forgedToken, unsignedToken } from '../support/forged-tokens.ts'
import { PageVisitor, signUpOnPages } from '../support/page-visitor.ts'
import { onBothEngines, type Service } from '../support/service.ts'

type Forgery = (service: Service, person: Person, otherUser: Person) => string | Promise<string>

/** The public key is public: a token with a MAC keyed by it must not be accepted. */
const withPublicKey =
  (secret: (jwk: JWK & { x: string }) => string | Buffer): Forgery =>
  async (service, person) => {
    const { keys } = (await get(service, '/.well-known/jwks.json')).body
    return forgedRefreshToken(service, person, { key: Buffer.from(secret(keys[0])) })
  }
const withHeader =
  (header: Record<string, unknown>): Forgery =>
  (service, person) =>
    forgedRefreshToken(service, person, { header })

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

const FORGERIES: [string, Forgery][] = [
  ['with the public key as the secret', withPublicKey(({ x }) => Buffer.from(x, 'base64url'))],
  ['with the public JWK as the secret', withPublicKey((jwk) => JSON.stringify(jwk))],
  [
    'with the public key as PEM as the secret',
    withPublicKey((key) => createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' })),
  ],
  [
    'with the public key as DER as the secret',
    withPublicKey((key) => createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'der' })),
  ],
  ['with a secret of zeros', (service, person) => forgedRefreshToken(service, person, { key: Buffer.alloc(32) })],
  ['with a secret of its own', (service, person) => forgedRefreshToken(service, person, { key: randomBytes(32) })],
  ['without a MAC', (service, person) => unsignedToken(service, person, 'HS256', 'rt+jwt')],
  ['without a MAC, alg none', (service, person) => unsignedToken(service, person, 'none', 'rt+jwt')],
  ['without a MAC, alg None', (service, person) => unsignedToken(service, person, 'None', 'rt+jwt')],
  [
    'with the MAC of its text under another algorithm',
    (_service, { refreshToken }) => {
      const [header = '', ...rest] = refreshToken.split('.')
      const { kid, typ } = decodeProtectedHeader(`${header}..`)
      return [encoded({ alg: 'EdDSA', kid, typ }), ...rest].join('.')
    },
  ],
  ['with a longer hash', withHeader({ alg: 'HS512' })],
  ['with one more header, rightly authenticated', withHeader({ b64: true })],
  ['of the type of an access token', withHeader({ typ: 'at+jwt' })],
  ["of the type of a browser's cookie", withHeader({ typ: 'bs+jwt' })],
  ['without a type', withHeader({ typ: undefined })],
  ['that names an unknown key', withHeader({ kid: randomUUID() })],
  ['that names no key', withHeader({ kid: undefined })],
  ['that is an access token', (_service, { accessToken }) => accessToken],
  ['signed as an access token', (service, person) => forgedToken(service, person)],
  [
    "with another user's claims and its own MAC",
    (_service, { refreshToken }, otherUser) => {
      const [header, , mac] = refreshToken.split('.')
      return [header, otherUser.refreshToken.split('.')[1], mac].join('.')
    },
  ],
  ['with half of its MAC', (_service, { refreshToken }) => refreshToken.slice(0, -21)],
  ['with a MAC in other letters', (_service, { refreshToken }) => `${refreshToken.slice(0, -43)}${'é'.repeat(43)}`],
  ['with padding', (_service, { refreshToken }) => `${refreshToken}=`],
  ['with one more part', (_service, { refreshToken }) => `${refreshToken}.${refreshToken.slice(-43)}`],
  [
    'whose header is no object',
    (_service, { refreshToken }) => `bnVsbA${refreshToken.slice(refreshToken.indexOf('.'))}`,
  ],
]

describe('a forged refresh token', () => {
  onBothEngines((service) => {
    let person: Person
    let otherUser: Person
    before(async () => {
      ;[person, otherUser] = (await crowd(service, 2)) as [Person, Person]
    })

    for (const [what, forge] of FORGERIES) {
      it(`${what} is refused, without effect on the session`, async () => {
        const refreshToken = await forge(service, person, otherUser)
        assert.notEqual(refreshToken, person.refreshToken)
        assertRefused(await tryRefresh(service, { ...person, refreshToken }), 401, 'Invalid or expired refresh token')
        await assertAlive(service, person)
        person = await refreshed(service, person)
      })
    }

    it('is no access token, whatever type it claims', async () => {
      for (const typ of ['at+jwt', 'rt+jwt', 'bs+jwt']) {
        const accessToken = await forgedRefreshToken(service, person, { header: { typ } })
        assertRefused(await get(service, '/api/user-details', { as: { ...person, accessToken } }), 401)
      }
    })

    it('is no cookie of the pages, and the cookie of a browser is no refresh token', async () => {
      const { visitor } = await signUpOnPages(service)
      const cookie = visitor.cookies.get('portico_session') ?? ''
      assert.equal(decodeProtectedHeader(cookie).alg, 'HS256')
      assertRefused(await tryRefresh(service, { ...person, refreshToken: cookie }), 401)
      const other = new PageVisitor(service)
      for (const token of [person.refreshToken, person.accessToken]) {
        other.cookies.set('portico_session', token)
        assert.match((await other.get('/account')).location, /^\/log-in/)
      }
      assert.equal((await visitor.get('/account')).status, 200)
    })

    it('of a removed key is refused, and one of a retired key is accepted', async () => {
      const { database, keys } = service.portico
      const first = keys.signer()
      const retired = await refreshed(service, person)
      const key = { ...newSigningKey(), created_at: Date.now() - 3_600_000, retired_at: null }
      await database.query.updateTable('signing_keys').set({ retired_at: database.now, created_at: 1 }).execute()
      await database.query.insertInto('signing_keys').values(key).execute()
      await keys.reload()
      assert.equal(decodeProtectedHeader(retired.refreshToken).kid, first.kid)
      const next = await refreshed(service, retired)
      assert.equal(decodeProtectedHeader(next.refreshToken).kid, key.kid)
      // The MAC of one key under the id of another.
      for (const [kid, macKey] of [
        [key.kid, first.macKey],
        [first.kid, keys.signer().macKey],
      ] as const) {
        const mixed = await forgedRefreshToken(service, next, { header: { kid }, key: macKey })
        assertRefused(await tryRefresh(service, { ...next, refreshToken: mixed }), 401)
      }
      const ofFirst = { header: { kid: first.kid }, key: first.macKey }
      const removed = await forgedRefreshToken(service, next, ofFirst)
      await database.query.deleteFrom('signing_keys').where('kid', '=', first.kid).execute()
      await keys.reload()
      assertRefused(await tryRefresh(service, { ...next, refreshToken: removed }), 401)
      assertSucceeded(await tryRefresh(service, next))
    })

    it('cannot be made from the published keys, which contain no secret', async () => {
      const { keys } = (await get(service, '/.well-known/jwks.json')).body
      for (const key of keys) assert.deepEqual(Object.keys(key).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x'])
      const secret = service.portico.keys.signer().macKey.export().toString('base64url')
      assert.ok(!JSON.stringify(keys).includes(secret))
    })
  })
})
