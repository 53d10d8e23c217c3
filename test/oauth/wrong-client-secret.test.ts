import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused, assertSucceeded } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startCodeHost } from '../support/code-host.ts'
import { startOpenIdProvider } from '../support/openid-provider.ts'
import { DENIAL_COOKIE, type SignInProvider, visitProvider } from '../support/providers.ts'
import { ENGINES } from '../support/service.ts'
import { begin, signIn, startLoggedSignIns, visit } from '../support/sign-in-steps.ts'

const REFUSED = 'The sign-in was refused by the provider'
const WRONG = 'a-secret-that-is-not-the-right-one'

const PROVIDERS: [what: string, start: () => Promise<SignInProvider>][] = [
  ['a code host', startCodeHost],
  ['an OpenID provider that expects it in the form', () => startOpenIdProvider({ authMethod: 'client_secret_post' })],
  [
    'an OpenID provider that expects it in the header',
    () => startOpenIdProvider({ authMethod: 'client_secret_basic' }),
  ],
]

for (const engine of ENGINES) {
  describe(`a wrong client secret on ${engine}`, () => {
    for (const [what, start] of PROVIDERS) {
      it(`for ${what} is logged with the name of its setting, and shown to no client`, async (test) => {
        const provider = await start()
        cleanUp(test, () => provider.close())
        const secretName = `${provider.name.toUpperCase()}_CLIENT_SECRET`
        const service = await startLoggedSignIns(engine, { ...provider.settings, [secretName]: WRONG })
        cleanUp(test, () => service.close())
        const response = await signIn(service, provider, provider.people.admit())
        assertRefused(response, 400, REFUSED)
        assert.doesNotMatch(JSON.stringify(response.body), /CLIENT_SECRET|invalid_client|credentials/)
        const warnings = warningsIn(service.lines)
        assert.equal(warnings.length, 1)
        assert.match(warnings[0] ?? '', new RegExp(`does not accept .*${secretName}`))
        assert.ok(warnings[0]?.includes(response.body.requestId))
        assert.ok(!service.lines.join().includes(WRONG))
      })
    }

    it('is not logged when the user cancels the sign-in', async (test) => {
      const provider = await startCodeHost()
      cleanUp(test, () => provider.close())
      const service = await startLoggedSignIns(engine, provider.settings)
      cleanUp(test, () => service.close())
      assertSucceeded(await signIn(service, provider, provider.people.admit()))
      const { authorizationUrl, cookie } = await begin(service, provider)
      assertRefused(
        await visit(service, await visitProvider(authorizationUrl, 'nobody', DENIAL_COOKIE), { cookie }),
        400,
      )
      assert.deepEqual(warningsIn(service.lines), [])
    })
  })
}

/** The warnings logged during a sign-in: such lines have the id of the request. */
function warningsIn(lines: string[]): string[] {
  return lines.filter((line) => JSON.parse(line).level === 'warn' && JSON.parse(line).requestId)
}
