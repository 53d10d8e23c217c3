import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { everythingStored } from '../support/accounts.ts'
import { assertSucceeded, call } from '../support/api.ts'
import { PROVIDER_NAMES, withProviders } from '../support/providers.ts'
import { assertNoSignIn, reachCallback, visit } from '../support/sign-in-steps.ts'

describe('HEAD', () => {
  withProviders((service, providers) => {
    const head = (path: string, cookie = '') =>
      call(service, 'HEAD', path, undefined, { redirect: 'manual', headers: { cookie } })

    for (const name of PROVIDER_NAMES) {
      it(`does not sign in at the callback of the ${name}, nor use up the code`, async () => {
        const { callback, cookie } = await reachCallback(service, providers[name], providers[name].people.admit())
        await assertNoSignIn(service, async () => {
          const { status, headers } = await head(callback, cookie)
          assert.deepEqual([status, headers.get('allow'), headers.getSetCookie()], [405, 'GET', []])
        })
        assertSucceeded(await visit(service, callback, { cookie }))
      })

      it(`does not begin a sign-in at the ${name}`, async () => {
        const { handshakes } = await everythingStored(service)
        const { status, headers } = await head(`/api/oauth/${name}/start`)
        assert.deepEqual([status, headers.get('allow'), headers.getSetCookie()], [405, 'GET', []])
        assert.deepEqual((await everythingStored(service)).handshakes, handshakes)
      })
    }

    it('is supported by every other GET of the API', async () => {
      for (const path of ['/api/openapi.json', '/.well-known/jwks.json']) {
        assert.equal((await head(path)).status, 200)
      }
      assert.equal((await head('/api/user-details')).status, 401)
    })
  })
})
