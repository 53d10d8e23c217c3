import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { get } from '../support/api.ts'
import { assertRefused, fieldsOf } from '../support/envelope.ts'
import { onBothEngines } from '../support/on-both-engines.ts'
import { head, sendRaw } from '../support/raw-http.ts'
import { assertSignInRefused, BROWSER, begin, start, visit } from '../support/sign-in-steps.ts'
import { everythingStored } from '../support/stored.ts'
import { PROVIDER_NAMES, withProviders } from '../support/with-providers.ts'

const SECRET = /^[\w-]{43}$/

/** Where a browser could be led away from this site, as its address bar would read them. */
const ELSEWHERE = [
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '\\/evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r\n/evil.example',
  '\t//evil.example',
  '/path\r\nSet-Cookie: a=b',
  '/path\0',
  ' //evil.example',
  ' /path',
  '/..//evil.example',
  '/.//evil.example',
  '/a/..//evil.example',
  '/%2e%2e//evil.example',
  'https:evil.example',
  'https:/evil.example',
  'https://evil.example',
  'HTTPS://evil.example',
  'http:\\\\evil.example',
  'http://localhost:3000@evil.example',
  'localhost:3000@evil.example',
  '@evil.example',
  'good@evil.example',
  'evil.example',
  'path',
  '?query',
  '#part',
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'data:text/html,evil',
  '/back\\slash',
  `/${'long'.repeat(512)}`,
  '',
]

describe('starting to sign in', () => {
  withProviders((service, providers) => {
    for (const name of PROVIDER_NAMES) {
      it(`leads to the ${name} with state, a PKCE challenge and our callback, and with no secret`, async () => {
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

      it(`ties a sign-in with the ${name} to the browser by a cookie that scripts cannot read`, async () => {
        const { headers } = await start(service, { name })
        const [cookie = '', ...others] = headers.getSetCookie()
        assert.match(cookie, /^portico_sign_in=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/)
        assert.deepEqual(others, [])
      })

      it(`makes new secrets for each sign-in with the ${name}, and the cookie serves all of a browser's`, async () => {
        const first = await begin(service, { name })
        const second = await begin(service, { name }, { cookie: first.cookie })
        const stranger = await begin(service, { name })
        for (const secret of ['state', 'code_challenge', ...(name === 'idp' ? ['nonce'] : [])]) {
          const values = [first, second, stranger].map((begun) =>
            new URL(begun.authorizationUrl).searchParams.get(secret),
          )
          assert.equal(new Set(values).size, 3, secret)
        }
        assert.equal(second.cookie, first.cookie)
        assert.notEqual(stranger.cookie, first.cookie)
      })

      it(`takes no secret of another form from a cookie before a sign-in with the ${name}`, async () => {
        for (const cookie of ['portico_sign_in=', 'portico_sign_in=guessed', `portico_sign_in=${'x'.repeat(44)}`]) {
          const begun = await begin(service, { name }, { cookie })
          assert.match(begun.cookie, /^portico_sign_in=[\w-]{43}$/)
          assert.notEqual(begun.cookie, cookie)
        }
      })

      it(`refuses to lead away from this site after a sign-in with the ${name}`, async () => {
        for (const redirectTo of ELSEWHERE) {
          const answer = await start(service, { name }, { redirectTo })
          assertRefused(answer, 400, 'Validation failed')
          assert.ok('redirect_to' in fieldsOf(answer), redirectTo)
          assert.deepEqual(answer.headers.getSetCookie(), [])
          assert.equal(answer.headers.get('location'), null)
        }
        for (const query of [
          'redirect_to=/%09/evil.example',
          'redirect_to=/%5Cevil.example',
          'redirect_to=/&redirect_to=/',
        ]) {
          assertRefused(await get(service, `/api/oauth/${name}/start?${query}`), 400, 'Validation failed')
        }
      })
    }

    it('keeps only hashes of what travels through the browser', async () => {
      const { state, cookie } = await begin(service, { name: 'idp' })
      const { handshakes } = await everythingStored(service)
      const stored = JSON.stringify(handshakes)
      assert.ok(stored.length > 100)
      assert.ok(!stored.includes(state))
      assert.ok(!stored.includes(cookie.split('=')[1] ?? ''))
    })

    it('names our own address, whatever a request claims to have come to', async () => {
      const answer = await sendRaw(
        service,
        head(
          'GET /api/oauth/codehost/start HTTP/1.1',
          'Host: evil.example',
          'X-Forwarded-Host: evil.example',
          'X-Forwarded-Proto: https',
          'Connection: close',
        ),
      )
      assert.equal(answer.status, 302)
      const location = answer.headers.get('location') ?? ''
      assert.equal(new URL(location).searchParams.get('redirect_uri'), 'http://localhost:3000/api/oauth/codehost')
      assert.ok(!location.includes('evil'))
    })
  })
})

describe('without providers', () => {
  onBothEngines((service) => {
    for (const name of PROVIDER_NAMES) {
      it(`there is no sign-in with the ${name}`, async () => {
        for (const path of [`/api/oauth/${name}/start`, `/api/oauth/${name}`, `/api/oauth/${name}?code=a&state=b`]) {
          const answer = await visit(service, path, { accept: BROWSER })
          assertSignInRefused(answer, 404, 'This sign-in provider is not configured')
          assert.deepEqual(answer.headers.getSetCookie(), [])
        }
      })
    }
  })
})
