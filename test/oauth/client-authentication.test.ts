import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { clientAuthentication } from '../../src/oauth/client-authentication.ts'
import { assertRefused, assertSucceeded } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startOpenIdProvider } from '../support/openid-provider.ts'
import { ENGINES } from '../support/service.ts'
import { signIn, startLoggedSignIns } from '../support/sign-in-steps.ts'

const REFUSED = 'The sign-in was refused by the provider'

describe('Basic client authentication', () => {
  const server = { issuer: 'https://idp.example' }
  const credentialsOf = (clientId: string, secret: string) => {
    const headers = new Headers()
    clientAuthentication(secret, 'header')(server, { client_id: clientId }, new URLSearchParams(), headers)
    const [, encoded = ''] = /^Basic ([A-Za-z0-9+/]+=*)$/.exec(headers.get('authorization') ?? '') ?? []
    return Buffer.from(encoded, 'base64').toString('utf8')
  }

  it('leaves the characters unchanged that form encoding leaves unchanged', () => {
    const id = 'b2f5a2c0-7d6e-4f0a-9d0b-0a1b2c3d4e5f'
    assert.equal(credentialsOf(id, 'gto_a-b_c.d*e'), `${id}:gto_a-b_c.d*e`)
  })

  it('encodes all other characters, so that no secret can be parsed as another header or pair', () => {
    assert.equal(credentialsOf('a:b', 'c d+e%f:g'), 'a%3Ab:c+d%2Be%25f%3Ag')
    assert.equal(credentialsOf('é', "~!'()&=\r\n\0"), '%C3%A9:%7E%21%27%28%29%26%3D%0D%0A%00')
  })

  it('is used only where the provider accepts it', () => {
    const methods = { ...server, token_endpoint_auth_methods_supported: ['client_secret_post'] }
    const [body, headers] = [new URLSearchParams(), new Headers()]
    clientAuthentication('secret', 'header')(methods, { client_id: 'id' }, body, headers)
    assert.equal(body.get('client_secret'), 'secret')
    assert.equal(headers.get('authorization'), null)
  })
})

for (const engine of ENGINES) {
  describe(`a provider that names no method of client authentication, on ${engine}`, () => {
    const start = async (
      test: Parameters<typeof cleanUp>[0],
      habits: object,
      settings: Record<string, string> = {},
    ) => {
      const provider = await startOpenIdProvider({ ...habits, namesMethods: false })
      cleanUp(test, () => provider.close())
      const service = await startLoggedSignIns(engine, { ...provider.settings, ...settings })
      cleanUp(test, () => service.close())
      return { provider, service, enter: () => signIn(service, provider, provider.people.admit()) }
    }

    it('gets the secret in the header, in the form that Gitea and Forgejo read', async (t) => {
      const { provider, enter } = await start(t, { authMethod: 'client_secret_basic', basic: 'compares' })
      assertSucceeded(await enter())
      assert.equal(provider.exchanges(), 1)
    })

    it('may end its issuer with a slash that the setting does not have, as Forgejo does', async (t) => {
      const habits = { authMethod: 'client_secret_basic', basic: 'compares', endsWithSlash: true }
      const { provider, enter } = await start(t, habits)
      assert.doesNotMatch(String(provider.settings.IDP_ISSUER), /\/$/)
      assertSucceeded(await enter())
    })

    it('gets any secret so that a provider that decodes gets the original', async (t) => {
      const clientSecret = 'a b+c%2Dd:e~f*g-h._(i)&j=k'
      const { provider, enter } = await start(t, { authMethod: 'client_secret_basic', clientSecret })
      assertSucceeded(await enter())
      assert.equal(provider.exchanges(), 1)
    })

    it('gets a retry with the secret in the body, and later requests with it in the body at once', async (t) => {
      const { provider, enter } = await start(t, { basic: 'refuses' })
      assertSucceeded(await enter())
      assert.equal(provider.exchanges(), 2)
      assertSucceeded(await enter())
      assert.equal(provider.exchanges(), 3)
    })

    it('that uses up the code with its refusal signs in the second time, and the reason is logged', async (t) => {
      const { provider, service, enter } = await start(t, { basic: 'refuses and uses up the code' })
      assertRefused(await enter(), 400, REFUSED)
      assert.equal(service.lines.filter((line) => line.includes('code was used up')).length, 1)
      assertSucceeded(await enter())
      assert.equal(provider.exchanges(), 3)
    })

    it('gets two requests with a wrong secret, and no more', async (t) => {
      const wrong = 'a-secret-that-is-not-the-right-one'
      const settings = { IDP_CLIENT_SECRET: wrong }
      const { provider, service, enter } = await start(t, { basic: 'refuses' }, settings)
      assertRefused(await enter(), 400, REFUSED)
      assert.equal(provider.exchanges(), 2)
      assert.equal(service.lines.filter((line) => line.includes('does not accept IDP_CLIENT_ID')).length, 1)
      assert.ok(!service.lines.join().includes(wrong))
    })
  })
}
