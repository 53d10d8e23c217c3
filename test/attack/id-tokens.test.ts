import { afterEach, describe, it } from 'node:test'
import { exportSPKI, generateKeyPair } from 'jose'
import { assertRefused, assertSucceeded } from '../support/api.ts'
import { besideServices, type FaultyOpenIdProvider, type Lie, startFaultyOpenIdProvider } from '../support/providers.ts'
import { assertNobodyCameIn, signIn } from '../support/sign-in-steps.ts'

const HOUR = 3600
const strangersKey = (await generateKeyPair('RS256')).privateKey
const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** ID tokens that no honest provider sends, by their defect. */
function lies({ publicKey, settings }: FaultyOpenIdProvider): Record<string, Lie> {
  const secret = Buffer.from(settings.IDP_CLIENT_SECRET ?? '')
  return {
    'the nonce of another sign-in': (honest, sign) => sign({ ...honest, nonce: 'A'.repeat(43) }),
    'no nonce': ({ nonce: _, ...honest }, sign) => sign(honest),
    'another issuer': (honest, sign) => sign({ ...honest, iss: 'https://evil.example' }),
    'an issuer that only begins like it': (honest, sign) => sign({ ...honest, iss: `${honest.iss}/` }),
    'another audience': (honest, sign) => sign({ ...honest, aud: 'another-client' }),
    'no audience': ({ aud: _, ...honest }, sign) => sign(honest),
    'another authorized party': (honest, sign) => sign({ ...honest, aud: [String(honest.aud), 'b'], azp: 'b' }),
    'an end in the past': (honest, sign) => sign({ ...honest, exp: Number(honest.iat) - HOUR }),
    'no end': ({ exp: _, ...honest }, sign) => sign(honest),
    'a beginning in the future': (honest, sign) => sign({ ...honest, nbf: Number(honest.iat) + HOUR }),
    'no subject': ({ sub: _, ...honest }, sign) => sign(honest),
    'a number as its subject': (honest, sign) => sign({ ...honest, sub: 7 as never }),
    "the signature of a stranger's key": (honest, sign) => sign(honest, strangersKey),
    'a key that the provider does not publish': (honest, sign) => sign(honest, strangersKey, { kid: 'unknown' }),
    'a signature that belongs to other claims': async (honest, sign) => {
      const [head, , signature] = (await sign(honest)).split('.')
      return [head, encoded({ ...honest, sub: 'somebody-else' }), signature].join('.')
    },
    'no signature': async (honest) => `${encoded({ alg: 'none' })}.${encoded(honest)}.`,
    'the client secret as its key': (honest, sign) => sign(honest, secret, { alg: 'HS256' }),
    'the public key as a secret': async (honest, sign) =>
      sign(honest, Buffer.from(await exportSPKI(publicKey)), { alg: 'HS256' }),
    'nothing at all': async () => undefined,
  }
}

describe('an ID token', () => {
  besideServices(
    async () => ({ idp: await startFaultyOpenIdProvider() }),
    (service, providers) => {
      afterEach(() => Object.assign(providers.idp.lie, { idToken: undefined, userInfo: undefined }))

      const names = Object.keys(lies({ settings: {} } as FaultyOpenIdProvider))
      for (const what of names) {
        it(`is refused with ${what}`, async () => {
          const { idp } = providers
          const subject = idp.people.admit()
          idp.lie.idToken = lies(idp)[what]
          await assertNobodyCameIn(service, async () => {
            assertRefused(await signIn(service, idp, subject), 400, 'The sign-in was refused by the provider')
          })
          idp.lie.idToken = undefined
          assertSucceeded(await signIn(service, idp, subject))
        })
      }

      it('is refused when the UserInfo response has another subject', async () => {
        const { idp } = providers
        idp.lie.idToken = ({ email: _, ...honest }, sign) => sign(honest)
        idp.lie.userInfo = { sub: idp.people.admit() }
        await assertNobodyCameIn(service, async () => {
          assertRefused(await signIn(service, idp, idp.people.admit()), 400)
        })
        idp.lie.userInfo = undefined
        assertSucceeded(await signIn(service, idp, idp.people.admit()))
      })
    },
  )
})
