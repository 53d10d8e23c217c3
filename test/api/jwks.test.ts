import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { refreshed } from '../support/accounts.ts'
import { get, logIn, type Person, signUp } from '../support/api.ts'
import { onBothEngines } from '../support/service.ts'

const UUID = /^[0-9a-f-]{36}$/
const SITE = 'https://portico.example'

describe('jwks', () => {
  onBothEngines(
    (service) => {
      async function publicKeys() {
        const { status, headers, body } = await get(service, '/.well-known/jwks.json')
        assert.equal(status, 200)
        assert.match(headers.get('content-type') ?? '', /^application\/json/)
        return body
      }

      /** Like another service, which knows only the address of this one. */
      async function verify({ accessToken }: Person) {
        const options = { issuer: SITE, audience: SITE, typ: 'at+jwt', algorithms: ['EdDSA'] }
        return jwtVerify(accessToken, createLocalJWKSet(await publicKeys()), options)
      }

      it('publishes the public keys, and nothing more', async () => {
        const { keys, ...others } = await publicKeys()
        assert.deepEqual(others, {})
        assert.equal(keys.length, 1)
        const [{ kid, x, ...rest }] = keys
        assert.match(kid, UUID)
        assert.equal(Buffer.from(x, 'base64url').length, 32)
        assert.deepEqual(rest, { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' })
      })

      it('lets any service verify an access token, whichever operation issued it', async () => {
        const person = await signUp(service)
        const holders: [Person, string][] = [
          [person, 'mail'],
          [await logIn(service, person), 'pwd'],
          [await refreshed(service, person), 'mail'],
        ]
        for (const [holder, method] of holders) {
          const { payload, protectedHeader } = await verify(holder)
          assert.deepEqual(Object.keys(protectedHeader).sort(), ['alg', 'kid', 'typ'])
          const { jti, iat = 0, exp, auth_time, ...claims } = payload
          assert.deepEqual(claims, {
            sub: holder.userId,
            sid: holder.sessionId,
            iss: SITE,
            aud: SITE,
            amr: [method],
            role: 'member',
          })
          assert.ok(Math.abs(Number(auth_time) - Date.now() / 1000) < 60)
          assert.match(jti ?? '', UUID)
          assert.equal(exp, iat + 15 * 60)
          assert.ok(Math.abs(iat - Date.now() / 1000) < 60)
        }
      })

      it('verifies access tokens that each have their own jti', async () => {
        const person = await signUp(service)
        const tokens = [person, await logIn(service, person), await refreshed(service, person)]
        const identifiers = new Set(tokens.map(({ accessToken }) => decodeJwt(accessToken).jti))
        assert.equal(identifiers.size, tokens.length)
      })

      it('cannot verify a refresh token as an access token', async () => {
        const { refreshToken, ...person } = await signUp(service)
        const taken = verify({ ...person, refreshToken, accessToken: refreshToken })
        await assert.rejects(taken, { code: 'ERR_JOSE_ALG_NOT_ALLOWED' })
        assert.deepEqual(
          [decodeProtectedHeader(refreshToken).alg, decodeProtectedHeader(refreshToken).typ],
          ['HS256', 'rt+jwt'],
        )
        const { iat = 0, exp } = decodeJwt(refreshToken)
        assert.equal(exp, iat + 30 * 24 * 3600)
      })
    },
    { BASE_URL: SITE },
  )
})
