import { afterEach, describe, it } from 'node:test'
import { exportSPKI, generateKeyPair } from 'jose'
import { assertRefused, assertSucceeded } from '../support/api.ts'
import {
  type FaultyOpenIdProvider,
  type IdTokenOverride,
  startFaultyOpenIdProvider,
} from '../support/faulty-openid-provider.ts'
import { besideServices } from '../support/providers.ts'
import { assertNoSignIn, signIn } from '../support/sign-in-steps.ts'

const HOUR_SECONDS = 3600
const foreignKey = (await generateKeyPair('RS256')).privateKey
const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** ID tokens that no honest provider sends, by their defect. */
function overridesOf({ publicKey, settings }: FaultyOpenIdProvider): Record<string, IdTokenOverride> {
  const secret = Buffer.from(settings.IDP_CLIENT_SECRET ?? '')
  return {
    'the nonce of another sign-in': (claims, sign) => sign({ ...claims, nonce: 'A'.repeat(43) }),
    'no nonce': ({ nonce: _, ...claims }, sign) => sign(claims),
    'another issuer': (claims, sign) => sign({ ...claims, iss: 'https://evil.example' }),
    'an issuer that only begins like it': (claims, sign) => sign({ ...claims, iss: `${claims.iss}/` }),
    'another audience': (claims, sign) => sign({ ...claims, aud: 'another-client' }),
    'no audience': ({ aud: _, ...claims }, sign) => sign(claims),
    'another authorized party': (claims, sign) => sign({ ...claims, aud: [String(claims.aud), 'b'], azp: 'b' }),
    'an end in the past': (claims, sign) => sign({ ...claims, exp: Number(claims.iat) - HOUR_SECONDS }),
    'no end': ({ exp: _, ...claims }, sign) => sign(claims),
    'a beginning in the future': (claims, sign) => sign({ ...claims, nbf: Number(claims.iat) + HOUR_SECONDS }),
    'no subject': ({ sub: _, ...claims }, sign) => sign(claims),
    'a number as its subject': (claims, sign) => sign({ ...claims, sub: 7 as never }),
    'the signature of another key': (claims, sign) => sign(claims, foreignKey),
    'a key that the provider does not publish': (claims, sign) => sign(claims, foreignKey, { kid: 'unknown' }),
    'a signature that belongs to other claims': async (claims, sign) => {
      const [head, , signature] = (await sign(claims)).split('.')
      return [head, encoded({ ...claims, sub: 'somebody-else' }), signature].join('.')
    },
    'no signature': async (claims) => `${encoded({ alg: 'none' })}.${encoded(claims)}.`,
    'the client secret as its key': (claims, sign) => sign(claims, secret, { alg: 'HS256' }),
    'the public key as a secret': async (claims, sign) =>
      sign(claims, Buffer.from(await exportSPKI(publicKey)), { alg: 'HS256' }),
    'nothing at all': async () => undefined,
  }
}

describe('an ID token', () => {
  besideServices(
    async () => ({ idp: await startFaultyOpenIdProvider() }),
    (service, providers) => {
      afterEach(() => Object.assign(providers.idp.override, { idToken: undefined, userInfo: undefined }))

      const names = Object.keys(overridesOf({ settings: {} } as FaultyOpenIdProvider))
      for (const what of names) {
        it(`is refused with ${what}`, async () => {
          const { idp } = providers
          const subject = idp.people.admit()
          idp.override.idToken = overridesOf(idp)[what]
          await assertNoSignIn(service, async () => {
            assertRefused(await signIn(service, idp, subject), 400, 'The sign-in was refused by the provider')
          })
          idp.override.idToken = undefined
          assertSucceeded(await signIn(service, idp, subject))
        })
      }

      it('is refused when the UserInfo response has another subject', async () => {
        const { idp } = providers
        idp.override.idToken = ({ email: _, ...claims }, sign) => sign(claims)
        idp.override.userInfo = { sub: idp.people.admit() }
        await assertNoSignIn(service, async () => {
          assertRefused(await signIn(service, idp, idp.people.admit()), 400)
        })
        idp.override.userInfo = undefined
        assertSucceeded(await signIn(service, idp, idp.people.admit()))
      })
    },
  )
})
