import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import { SoftwareAuthenticator } from '../support/software-authenticator.ts'

const RP_ID = 'site.example'
const ORIGIN = 'https://site.example'
const ALGORITHMS = { ES256: -7, Ed25519: -8, RS256: -257 } as const

describe('the software authenticator of the tests', () => {
  for (const algorithm of Object.keys(ALGORITHMS) as (keyof typeof ALGORITHMS)[]) {
    it(`makes responses with ${algorithm} that the library accepts, and the library notices each change`, async () => {
      const authenticator = new SoftwareAuthenticator(ORIGIN, { algorithm })
      const challenge = randomBytes(32).toString('base64url')
      const creation = { challenge, rp: { id: RP_ID }, user: { id: randomBytes(32).toString('base64url') } }
      const expected = { expectedChallenge: challenge, expectedOrigin: ORIGIN, expectedRPID: RP_ID }
      const created = await verifyRegistrationResponse({
        response: authenticator.create(creation),
        supportedAlgorithmIDs: [ALGORITHMS[algorithm]],
        ...expected,
      })
      assert.ok(created.verified)
      const { credential } = created.registrationInfo
      assert.equal(credential.id, authenticator.id)
      const request = { challenge, rpId: RP_ID }
      const verify = (changes = {}) =>
        verifyAuthenticationResponse({ response: authenticator.get(request, changes), credential, ...expected })
      const used = await verify({ isSynced: true })
      assert.deepEqual(
        [used.verified, used.authenticationInfo.newCounter, used.authenticationInfo.credentialDeviceType],
        [true, 1, 'multiDevice'],
      )
      for (const change of [{ origin: 'https://evil.example' }, { rpId: 'evil.example' }, { isVerified: false }]) {
        await assert.rejects(verify(change), JSON.stringify(change))
      }
      const forged = new SoftwareAuthenticator(ORIGIN, { algorithm, id: authenticator.id })
      const wrong = await verifyAuthenticationResponse({ response: forged.get(request), credential, ...expected })
      assert.equal(wrong.verified, false)
    })
  }
})
