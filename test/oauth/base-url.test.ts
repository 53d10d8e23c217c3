import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused, assertSucceeded } from '../support/api.ts'
import { startCodeHost } from '../support/code-host.ts'
import { besideServices, visitProvider } from '../support/providers.ts'
import { ACCEPT_HTML, begin, reachCallback, signIn, start, visit } from '../support/sign-in-steps.ts'

const startAll = async () => ({ codehost: await startCodeHost('https://portico.example') })

describe('signing in on a site with https', () => {
  besideServices(
    startAll,
    (service, providers) => {
      it('binds the cookie of the sign-in to the host and to https', async () => {
        const { headers } = await start(service, providers.codehost)
        const [cookie = '', ...others] = headers.getSetCookie()
        assert.match(cookie, /^__Host-portico_sign_in=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
        assert.deepEqual(others, [])
      })

      it('binds the cookie of the session to the host and to https', async () => {
        const { callback, cookie } = await reachCallback(service, providers.codehost, providers.codehost.people.admit())
        const { status, headers } = await visit(service, callback, { cookie, accept: ACCEPT_HTML })
        assert.equal(status, 302)
        const session = headers.getSetCookie().find((line) => line.includes('session='))
        assert.match(
          session ?? '',
          /^__Host-portico_session=[\w.-]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
        )
      })

      it('does not read a cookie that any page of the domain could have set', async () => {
        const { authorizationUrl, cookie } = await begin(service, providers.codehost)
        const callback = await visitProvider(authorizationUrl, providers.codehost.people.admit())
        assertRefused(await visit(service, callback, { cookie: cookie.replace('__Host-', '') }), 400)
        assertSucceeded(await visit(service, callback, { cookie }))
      })
    },
    { BASE_URL: 'https://portico.example' },
  )
})

describe('signing in on a site whose address has another spelling', () => {
  besideServices(
    startAll,
    (service, providers) => {
      it('uses the same callback in the authorization request and in the exchange of the code', async () => {
        const { authorizationUrl } = await begin(service, providers.codehost)
        const { searchParams } = new URL(authorizationUrl)
        assert.equal(searchParams.get('redirect_uri'), 'https://portico.example/api/oauth/codehost')
        assertSucceeded(await signIn(service, providers.codehost, providers.codehost.people.admit()))
      })
    },
    { BASE_URL: 'https://Portico.example:443/' },
  )
})
