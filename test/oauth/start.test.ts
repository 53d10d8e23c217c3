import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { everythingStored } from '../support/accounts.ts'
import { PROVIDER_NAMES, withProviders } from '../support/providers.ts'
import { onBothEngines } from '../support/service.ts'
import { ACCEPT_HTML, assertSignInRefused, begin, start, visit } from '../support/sign-in-steps.ts'

const SECRET = /^[\w-]{43}$/

describe('the start of a sign-in', () => {
  withProviders((service, providers) => {
    for (const name of PROVIDER_NAMES) {
      it(`redirects to the ${name} with state, a PKCE challenge and our callback, and with no secret`, async () => {
        const { url, settings } = providers[name]
        const { status, headers, body } = await start(service, { name }, { redirectTo: '/account' })
        assert.equal(status, 302)
        assert.equal(body, '')
        assert.equal(headers.get('cache-control'), 'no-store')
        const location = new URL(headers.get('location') ?? '')
        assert.equal(location.origin, url)
        const { state, code_challenge, nonce, ...rest } = Object.fromEntries(location.searchParams)
        assert.deepEqual(rest, {
          response_type: 'code',
          client_id: settings[`${name.toUpperCase()}_CLIENT_ID`],
          redirect_uri: `http://localhost:3000/api/oauth/${name}`,
          scope: name === 'idp' ? 'openid email profile' : 'read:user user:email',
          code_challenge_method: 'S256',
        })
        assert.match(state ?? '', SECRET)
        assert.match(code_challenge ?? '', SECRET)
        if (name === 'idp') assert.match(nonce ?? '', SECRET)
        else assert.equal(nonce, undefined)
      })

      it(`binds a sign-in with the ${name} to the browser by a cookie that scripts cannot read`, async () => {
        const { headers } = await start(service, { name })
        const [cookie = '', ...others] = headers.getSetCookie()
        assert.match(cookie, /^portico_sign_in=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/)
        assert.deepEqual(others, [])
      })

      it(`creates new secrets for each sign-in with the ${name}, and one cookie for all of a browser's`, async () => {
        const first = await begin(service, { name })
        const second = await begin(service, { name }, { cookie: first.cookie })
        const otherBrowser = await begin(service, { name })
        for (const secret of ['state', 'code_challenge', ...(name === 'idp' ? ['nonce'] : [])]) {
          const values = [first, second, otherBrowser].map((begun) =>
            new URL(begun.authorizationUrl).searchParams.get(secret),
          )
          assert.equal(new Set(values).size, 3, secret)
        }
        assert.equal(second.cookie, first.cookie)
        assert.notEqual(otherBrowser.cookie, first.cookie)
      })

      it(`ignores a cookie of another form before a sign-in with the ${name}`, async () => {
        for (const cookie of ['portico_sign_in=', 'portico_sign_in=guessed', `portico_sign_in=${'x'.repeat(44)}`]) {
          const begun = await begin(service, { name }, { cookie })
          assert.match(begun.cookie, /^portico_sign_in=[\w-]{43}$/)
          assert.notEqual(begun.cookie, cookie)
        }
      })
    }

    it('stores only hashes of the secrets that pass through the browser', async () => {
      const { state, cookie } = await begin(service, { name: 'idp' })
      const { handshakes } = await everythingStored(service)
      const stored = JSON.stringify(handshakes)
      assert.ok(stored.length > 100)
      assert.ok(!stored.includes(state))
      assert.ok(!stored.includes(cookie.split('=')[1] ?? ''))
    })
  })
})

describe('without providers', () => {
  onBothEngines((service) => {
    for (const name of PROVIDER_NAMES) {
      it(`there is no sign-in with the ${name}`, async () => {
        for (const path of [`/api/oauth/${name}/start`, `/api/oauth/${name}`, `/api/oauth/${name}?code=a&state=b`]) {
          const response = await visit(service, path, { accept: ACCEPT_HTML })
          assertSignInRefused(response, 404, 'This sign-in provider is not configured')
          assert.deepEqual(response.headers.getSetCookie(), [])
        }
      })
    }
  })
})
