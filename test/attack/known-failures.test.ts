import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { get } from '../support/api.ts'
import { startReady } from '../support/process.ts'
import { ENGINES, startOn, temporaryDatabase } from '../support/service.ts'

// Failures known from other software that the other files of this folder do not cover.

const PRODUCTION = {
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  BASE_URL: 'https://portico.example',
  SMTP_URL: 'smtp://127.0.0.1:9',
}

describe('the secrets of a site in production', () => {
  for (const engine of ENGINES) {
    it(`are generated at the first start, without a setting, and stay the same on ${engine}`, async (t) => {
      const secretsOf = async () => {
        const env = await temporaryDatabase(t, engine)
        const first = await startOn({ ...env, ...PRODUCTION })
        const { body } = await get(first, '/.well-known/jwks.json')
        await first.close()
        const second = await startOn({ ...env, ...PRODUCTION })
        const again = await get(second, '/.well-known/jwks.json')
        const { query } = second.portico.database
        const secrets = await query.selectFrom('secrets').select('value').execute()
        const keys = await query.selectFrom('signing_keys').select('private_jwk').execute()
        await second.close()
        assert.deepEqual(again.body, body)
        return [...secrets.map(({ value }) => value), ...keys.map(({ private_jwk }) => private_jwk)]
      }
      const [one, other] = [await secretsOf(), await secretsOf()]
      assert.equal(one.length, 3)
      for (const secret of one) {
        assert.ok(secret.length >= 43)
        assert.ok(!other.includes(secret))
      }
    })
  }

  it('cannot be set by an attacker who guesses the name of a setting', async (t) => {
    const env = await temporaryDatabase(t, 'sqlite')
    const names = ['SECRET', 'JWT_SECRET', 'SESSION_SECRET', 'COOKIE_SECRET', 'AUTH_SECRET', 'SIGNING_KEY']
    const guessed = Object.fromEntries(names.map((name) => [name, 'changeme']))
    const portico = await startReady(t, { ...env, ...PRODUCTION, ...guessed })
    const { keys } = (await get(portico, '/.well-known/jwks.json')).body
    assert.deepEqual([keys.length, keys[0].kty, keys[0].crv], [1, 'OKP', 'Ed25519'])
    assert.equal(await portico.stop(), 0)
    assert.ok(!portico.output().includes('changeme'))
  })
})
