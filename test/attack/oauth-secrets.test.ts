import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ApiResponse } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startCodeHost } from '../support/code-host.ts'
import { startFaultyOpenIdProvider } from '../support/faulty-openid-provider.ts'
import type { Fault } from '../support/local-servers.ts'
import { DENIAL_COOKIE, PROVIDER_NAMES, visitProvider } from '../support/providers.ts'
import { ENGINES } from '../support/service.ts'
import {
  ACCEPT_HTML,
  ACCEPT_JSON,
  begin,
  cookiesOf,
  start,
  startLoggedSignIns,
  visit,
} from '../support/sign-in-steps.ts'

const PLANTED = 'planted-in-a-response-of-the-provider'

/** Failures of an exchange, each with a secret that a log could repeat. */
const FAULTS: Fault[] = [
  { status: 500, body: `{"access_token":"${PLANTED}"}` },
  { status: 400, body: `{"error":"invalid_grant","error_description":"${PLANTED}","error_uri":"${PLANTED}"}` },
  { status: 401, body: `{"error":"${PLANTED}"}` },
  { status: 200, body: `{"access_token":"${PLANTED}","token_type":"strange"}` },
  { status: 200, body: `{"access_token":"${PLANTED}` },
  { status: 200, type: 'text/html', body: PLANTED },
]

for (const engine of ENGINES) {
  describe(`logs and responses of a sign-in on ${engine}`, () => {
    it('contain no code, token, verifier or client secret', async (test) => {
      const providers = { codehost: await startCodeHost(), idp: await startFaultyOpenIdProvider() }
      const { codehost, idp } = providers
      for (const provider of [codehost, idp]) cleanUp(test, () => provider.close())
      const service = await startLoggedSignIns(engine, { ...codehost.settings, ...idp.settings })
      cleanUp(test, () => service.close())
      const secrets = new Set<string>([PLANTED])
      const refusals: ApiResponse[] = []

      /** One sign-in. Every secret that passes through the browser is collected. */
      async function attempt(name: 'codehost' | 'idp', change = (callback: string) => callback, accept = ACCEPT_JSON) {
        const { authorizationUrl, state, cookie } = await begin(service, { name })
        const callback = await visitProvider(authorizationUrl, providers[name].people.admit())
        const response = await visit(service, change(callback), { cookie, accept })
        for (const secret of [state, cookie.split('=')[1] ?? '', ...cookiesOf(response.headers)]) secrets.add(secret)
        if (response.status >= 400) refusals.push(response)
        else if (response.status === 200) {
          for (const key of ['accessToken', 'refreshToken']) secrets.add(response.body.data[key])
        }
        return response
      }

      for (const name of PROVIDER_NAMES) {
        assert.equal((await attempt(name)).status, 200)
        assert.equal((await attempt(name, undefined, ACCEPT_HTML)).status, 302)
        for (const fault of FAULTS) {
          providers[name].faults.token = fault
          assert.ok((await attempt(name)).status >= 400)
        }
        providers[name].faults.token = undefined
        const changes = [
          (callback: string) => callback.replace('code=', 'code=wrong'),
          (callback: string) => callback.replace('state=', 'state=wrong'),
          (callback: string) => callback.replace('code=', 'error=server_error&error_description='),
          (callback: string) => `${callback}&iss=https://evil.example`,
          (callback: string) => `${callback}&code=${PLANTED}`,
        ]
        for (const change of changes) assert.ok((await attempt(name, change)).status >= 400)
        const { authorizationUrl, cookie } = await begin(service, { name })
        if (name === 'codehost') {
          refusals.push(
            await visit(service, await visitProvider(authorizationUrl, 'nobody', DENIAL_COOKIE), { cookie }),
          )
        }
      }
      idp.override.idToken = (claims, sign) => sign({ ...claims, nonce: PLANTED, email: PLANTED })
      assert.equal((await attempt('idp')).status, 400)
      idp.override.idToken = async () => `${PLANTED}.${PLANTED}.${PLANTED}`
      assert.ok((await attempt('idp')).status >= 400)
      codehost.faults.user = { status: 401, body: `{"message":"${PLANTED}"}` }
      assert.ok((await attempt('codehost')).status >= 400)
      await idp.down()
      refusals.push(await start(service, idp))

      const all = [...secrets, ...codehost.secrets, ...idp.secrets].filter((secret) => secret.length > 8)
      assert.ok(all.length > 100 && refusals.length > 25, `${all.length} secrets, ${refusals.length} refusals`)
      assertNoneIn(service.lines, all)
      assertNoneIn(
        refusals.map(({ body, headers }) => JSON.stringify([body, ...headers])),
        all,
      )
      // The log still has the failures, by their kind, and the requests, by their path alone.
      assert.ok(service.lines.some((line) => line.includes('The sign-in provider cannot be reached')))
      assert.ok(service.lines.some((line) => line.includes('"path":"/api/oauth/idp"')))
      assertNoneIn(service.lines, ['code=', 'state=', 'code_verifier'])
    })
  })
}

function assertNoneIn(texts: string[], secrets: string[]): void {
  assert.ok(texts.length > 0)
  for (const text of texts) {
    const found = secrets.find((secret) => text.includes(secret) || text.includes(encodeURIComponent(secret)))
    assert.equal(found, undefined, `${found} is in ${text}`)
  }
}
