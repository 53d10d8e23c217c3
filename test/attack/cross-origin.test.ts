import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { decodeJwt } from 'jose'
import { readConfig } from '../../src/config/config.ts'
import { everythingStored, someone } from '../support/accounts.ts'
import { type ApiResponse, assertRefused, assertSucceeded, call, get, type Person, post } from '../support/api.ts'
import { describedRoutes } from '../support/api-description.ts'
import { withProviders } from '../support/providers.ts'
import { onBothEngines } from '../support/service.ts'
import { ACCEPT_HTML, cookiesOf, reachCallback, visit } from '../support/sign-in-steps.ts'

const APP = 'https://app.example.com'
const OTHERS = [
  'null',
  '*',
  'https://evil.example',
  'http://app.example.com',
  'https://app.example.com:8443',
  'https://app.example.com.evil.example',
  'https://evilapp.example.com',
  'https://APP.example.com',
  'https://sub.app.example.com',
]

const list = (value: string | null) => (value ?? '').toLowerCase().split(/,\s*/)
const corsHeaders = ({ headers }: ApiResponse) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'))

function preflight(service: { url: string }, origin: string, path = '/api/log-in', method = 'POST') {
  const headers = {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization,content-type,x-session-id',
  }
  return call(service, 'OPTIONS', path, undefined, { headers })
}

describe('pages of other origins, by default,', () => {
  onBothEngines((service) => {
    for (const origin of [APP, 'null', 'http://localhost:3000']) {
      it(`get no CORS header when they are of ${origin}`, async () => {
        const asked = await preflight(service, origin)
        assertRefused(asked, 405)
        assert.deepEqual(corsHeaders(asked), [])
        const read = await get(service, '/api/user-details', { headers: { origin } })
        assertRefused(read, 401)
        assert.deepEqual(corsHeaders(read), [])
      })
    }
  })
})

describe('with an origin on the list, CORS', () => {
  onBothEngines(
    (service) => {
      let person: Person
      before(async () => {
        person = await someone(service)
      })

      it('allows its pages every method and header of the API', async () => {
        for (const [path, method] of [
          ['/api/log-in', 'POST'],
          ['/api/user-details', 'GET'],
          ['/api/sessions', 'DELETE'],
          ['/mcp', 'POST'],
        ]) {
          const { status, headers } = await preflight(service, APP, path, method)
          assert.equal(status, 204)
          assert.equal(headers.get('access-control-allow-origin'), APP)
          assert.ok(list(headers.get('access-control-allow-methods')).includes(method?.toLowerCase() ?? ''))
          for (const name of ['authorization', 'content-type', 'x-session-id', 'mcp-protocol-version']) {
            assert.ok(list(headers.get('access-control-allow-headers')).includes(name))
          }
        }
      })

      it('lets its pages read responses, also errors, and their headers', async () => {
        const headers = { origin: APP }
        const read = await get(service, '/api/user-details', { as: person, headers })
        assertSucceeded(read)
        const refused: [number, ApiResponse][] = [
          [400, await post(service, '/api/log-in', '{', { headers })],
          [401, await get(service, '/api/user-details', { headers })],
          [404, await get(service, '/api/nothing-here', { headers })],
          [405, await get(service, '/api/log-in', { headers })],
        ]
        for (const [status, response] of refused) assertRefused(response, status)
        for (const response of [read, ...refused.map(([, response]) => response)]) {
          assert.equal(response.headers.get('access-control-allow-origin'), APP)
          const exposed = list(response.headers.get('access-control-expose-headers'))
          for (const name of ['x-request-id', 'retry-after', 'ratelimit', 'ratelimit-policy']) {
            assert.ok(exposed.includes(name))
          }
          // The tokens are in headers: cookies are never sent along.
          assert.equal(response.headers.get('access-control-allow-credentials'), null)
        }
      })

      for (const origin of OTHERS) {
        it(`does not allow ${origin}`, async () => {
          const asked = await preflight(service, origin)
          assert.equal(asked.headers.get('access-control-allow-origin'), null)
          const read = await get(service, '/api/user-details', { as: person, headers: { origin } })
          assert.equal(read.headers.get('access-control-allow-origin'), null)
        })
      }

      it('adds Vary: Origin to the responses', async () => {
        for (const origin of [APP, 'https://evil.example']) {
          const { headers } = await get(service, '/api/user-details', { headers: { origin } })
          assert.ok(list(headers.get('vary')).includes('origin'))
        }
      })

      it('leaves the response to OPTIONS that is no preflight request as it is without a list', async () => {
        const response = await call(service, 'OPTIONS', '/api/log-in')
        assertRefused(response, 405, 'Method not allowed')
        assert.equal(response.headers.get('allow'), 'POST')
      })
    },
    { CORS_ORIGINS: `${APP}, https://admin.example.com` },
  )
})

describe('a signed-in browser', () => {
  withProviders((service, providers) => {
    it('can be made to send requests by other sites, but not with its session to the API', async () => {
      const { callback, cookie } = await reachCallback(service, providers.idp, providers.idp.people.admit())
      const { headers } = await visit(service, callback, { cookie, accept: ACCEPT_HTML })
      const session = cookiesOf(headers).find((pair) => pair.startsWith('portico_session=')) ?? ''
      const [, token = ''] = session.split('=')
      const { sid = '' } = decodeJwt<{ sid: string }>(token)
      const stored = await everythingStored(service)
      // The requests that a form or an image of another site can send, and more.
      const requests: Record<string, string>[] = [
        { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
        { origin: 'null' },
        { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-origin', 'x-session-id': sid },
      ]
      const routes = (await describedRoutes(service)).filter(({ path }) => PROTECTED.test(path))
      assert.ok(routes.length > 12)
      for (const { method, path } of routes) {
        for (const way of requests)
          assertRefused(await call(service, method, path, undefined, { headers: { cookie: session, ...way } }), 401)
      }
      assert.deepEqual(await everythingStored(service), stored)
    })

    it('is not signed in as another user by a form of another site', async () => {
      const person = await someone(service)
      const form = `email=${person.email}&password=${person.password}`
      for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x']) {
        const response = await call(service, 'POST', '/api/log-in', form, { headers: { 'content-type': type } })
        assertRefused(response, 400)
      }
      const { email, password } = person
      const response = await post(
        service,
        '/api/log-in',
        { email, password },
        { headers: { origin: 'https://evil.example' } },
      )
      assert.deepEqual(response.headers.getSetCookie(), [])
    })
  })
})

const PROTECTED =
  /user-d|change-(?!email.undo)|upload-avatar|sessions|delete-user|logout|security-events|linked-accounts/

describe('the list of origins', () => {
  for (const entry of ['null', '*', 'app.example.com', 'https://app.example.com/', 'https://*.example.com']) {
    it(`cannot contain ${entry}`, () => {
      assert.throws(() => readConfig({ CORS_ORIGINS: entry }), /CORS_ORIGINS/)
    })
  }
})
