import assert from 'node:assert/strict'
import { createSecretKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { importJWK } from 'jose'
import type { KeyRing } from '../../src/sessions/key-ring.ts'
import { createTokens } from '../../src/sessions/tokens.ts'

const CLAIMS = { userId: 'user', sessionId: 'session' }
const PROOF = { authenticatedAt: Date.UTC(2026, 10, 1), methods: ['pwd' as const], role: 'member' as const }

/** Tokens of one key, and how often a signature was verified. */
async function tokensOfOneKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const key = {
    kid: 'one',
    privateKey,
    publicKey: await importJWK(publicKey.export({ format: 'jwk' }), 'EdDSA'),
    macKey: createSecretKey(randomBytes(32)),
    issuesMacs: true,
  }
  let checks = 0
  const keys: KeyRing = {
    signer: () => key,
    async find() {
      checks++
      return key
    },
    publicKeys: () => [],
    reload: async () => {},
  }
  return { tokens: createTokens(keys, 'https://site.example', { now: () => Date.now() }), checks: () => checks }
}

describe('the cache of verified access tokens', () => {
  it('returns a token until it expires, and no longer', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 1) })
    const { tokens, checks } = await tokensOfOneKey()
    const token = tokens.issueAccess({ ...CLAIMS, ...PROOF })
    assert.deepEqual(await tokens.verifyAccess(token), CLAIMS)
    assert.deepEqual(await tokens.verifyAccess(token), CLAIMS)
    assert.equal(checks(), 1)
    t.mock.timers.tick(15 * 60_000)
    assert.equal(await tokens.verifyAccess(token), undefined)
  })

  it('drops expired tokens on request, and no others', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 1) })
    const { tokens, checks } = await tokensOfOneKey()
    await tokens.verifyAccess(tokens.issueAccess({ ...CLAIMS, ...PROOF }))
    t.mock.timers.tick(10 * 60_000)
    const later = tokens.issueAccess({ ...CLAIMS, ...PROOF })
    await tokens.verifyAccess(later)
    t.mock.timers.tick(10 * 60_000)
    tokens.dropExpired()
    assert.deepEqual(await tokens.verifyAccess(later), CLAIMS)
    assert.equal(checks(), 2)
  })

  it('verifies no signature of a token whose parts have another spelling, and stores none', async () => {
    const { tokens, checks } = await tokensOfOneKey()
    const token = tokens.issueAccess({ ...CLAIMS, ...PROOF })
    for (const spelling of [`${token}=`, `${token} `, `${token}\n`, `${token}.`, token.replace('.', '=.')]) {
      assert.equal(await tokens.verifyAccess(spelling), undefined)
    }
    assert.equal(checks(), 0)
  })
})
