import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { someone } from '../support/accounts.ts'
import {
  type ApiResponse,
  assertRefused,
  assertSucceeded,
  call,
  get,
  type Person,
  post,
  registration,
} from '../support/api.ts'
import { describedRoutes } from '../support/api-description.ts'
import { cleanUp } from '../support/clean-up.ts'
import { head, sendRaw } from '../support/raw-http.ts'
import { onBothEngines, startLoggedService } from '../support/service.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const CHUNKED = 'Transfer-Encoding: chunked'
const JSON_TYPE = 'Content-Type: application/json'

describe('the envelope', () => {
  onBothEngines((service, engine) => {
    let person: Person
    before(async () => {
      person = await someone(service)
    })

    it('is the format of the response to an unknown path, by any method and with any body', async () => {
      for (const method of METHODS) {
        assertRefused(await call(service, method, '/api/nothing-here'), 404, 'Not found')
      }
      assertRefused(await post(service, '/api/nothing-here', { any: 'thing' }, { as: person }), 404, 'Not found')
      assertRefused(await get(service, '/api/log-in/deeper'), 404, 'Not found')
    })

    it('of a 405 comes with the allowed methods of every route', async () => {
      const routes = Map.groupBy(await describedRoutes(service), ({ path }) => path)
      assert.ok(routes.size >= 15)
      for (const [path, described] of routes) {
        const own = described.map(({ method }) => method)
        // Every GET route also accepts HEAD, except those that change data: sign-ins through a provider, downloads.
        const hasHead = own.includes('GET') && !path.startsWith('/api/oauth/') && path !== '/api/user-data'
        const allowed = hasHead ? [...own, 'HEAD'] : own
        for (const method of METHODS.filter((name) => !own.includes(name))) {
          const response = await call(service, method, path, undefined, { as: person })
          assertRefused(response, 405, 'Method not allowed')
          assert.deepEqual(response.headers.get('allow')?.split(', ').sort(), allowed.sort())
        }
        const { status } = await call(service, 'HEAD', path)
        assert.equal(status === 405, !allowed.includes('HEAD'))
      }
    })

    it('of a 405 is the same for uncommon methods', async () => {
      for (const method of ['PROPFIND', 'LOCK', 'PURGE', 'QUERY', 'TRACE', 'SEARCH']) {
        const request = head(`${method} /api/log-in HTTP/1.1`, 'Host: x', 'Connection: close')
        const response = await sendRaw(service, request)
        assertRefused(response, 405, 'Method not allowed')
        assert.equal(response.headers.get('allow'), 'POST')
      }
    })

    it('is the same for every status', async () => {
      const taken = registration({ email: person.email })
      const responses: [number, ApiResponse][] = [
        [200, await get(service, '/api/user-details', { as: person })],
        [201, await post(service, '/api/create-account', registration())],
        [400, await post(service, '/api/create-account', '{')],
        [400, await post(service, '/api/log-in', {})],
        [401, await get(service, '/api/user-details')],
        [401, await post(service, '/api/log-in', { email: taken.email, password: 'Wrong-Horse-7' })],
        [404, await get(service, '/api/nothing-here')],
        [405, await get(service, '/api/log-in')],
        [409, await post(service, '/api/create-account', taken)],
        [413, await post(service, '/api/log-in', 'x'.repeat(200_000))],
      ]
      for (const [status, response] of responses) {
        if (status < 400) assertSucceeded(response, status)
        else assertRefused(response, status)
        assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
      }
    })

    it('has a new id for each request, never one that the client sent', async () => {
      const madeUp = '11111111-2222-3333-4444-555555555555'
      const headers = { 'x-request-id': madeUp, 'request-id': madeUp }
      const ids = new Set<string>()
      for (const path of ['/api/user-details', '/api/user-details', '/api/nothing-here']) {
        ids.add((await get(service, path, { headers })).body.requestId)
      }
      assert.equal(ids.size, 3)
      assert.ok(!ids.has(madeUp))
    })

    const malformed: [what: string, ...parts: string[]][] = [
      ['no HTTP at all', 'nonsense\r\n\r\n'],
      ['an unknown method', head('BREW /api/log-in HTTP/1.1', 'Host: x')],
      ['another protocol', head('GET /api/user-details SPDY/3', 'Host: x')],
      ['a header without a name', head('GET /api/user-details HTTP/1.1', 'Host: x', ': nameless')],
      ['a NUL in a header', head('GET /api/user-details HTTP/1.1', 'Host: x', 'X-Session-Id: a\0b')],
      ['no Host', head('GET /api/user-details HTTP/1.1')],
      ['a Content-Length that is not a number', head('POST /api/log-in HTTP/1.1', 'Host: x', 'Content-Length: many')],
      [
        'two Content-Lengths',
        head('POST /api/log-in HTTP/1.1', 'Host: x', 'Content-Length: 2', 'Content-Length: 3'),
        '{}',
      ],
      [
        'Content-Length and chunks',
        head('POST /api/log-in HTTP/1.1', 'Host: x', 'Content-Length: 2', CHUNKED),
        '0\r\n\r\n',
      ],
      ['an invalid chunk', head('POST /api/log-in HTTP/1.1', 'Host: x', CHUNKED, JSON_TYPE), 'zz\r\n{}\r\n'],
    ]
    for (const [what, ...parts] of malformed) {
      it(`is the format of the response to ${what}, and the connection is closed`, async () => {
        const response = await sendRaw(service, ...parts)
        assertRefused(response, 400)
        assert.equal(response.headers.get('connection'), 'close')
      })
    }

    it('is the format of the response to an expectation that cannot be met', async () => {
      const lines = ['Host: x', 'Connection: close', 'Expect: miracles', JSON_TYPE, 'Content-Length: 2']
      assertRefused(await sendRaw(service, head('POST /api/log-in HTTP/1.1', ...lines), '{}'), 417)
    })

    it('is the format of the response to headers that are too large', async () => {
      const response = await sendRaw(
        service,
        head('GET /api/user-details HTTP/1.1', 'Host: x', `X-Large: ${'x'.repeat(200_000)}`),
      )
      assertRefused(response, 431)
    })

    it('shows no internals of an unexpected error, and the log has the error under the same id', async (t) => {
      const broken = await startLoggedService(engine)
      cleanUp(t, () => broken.close())
      const reader = await someone(broken)
      await sql`drop table security_events`.execute(broken.portico.database.query)

      const change = await post(broken, '/api/user-details', { bio: 'new' }, { as: reader })
      const registered = await post(broken, '/api/create-account', registration())
      for (const response of [change, registered]) {
        assertRefused(response, 500, 'Internal server error')
        assert.deepEqual(Object.keys(response.body).sort(), ['code', 'message', 'requestId', 'success', 'timestamp'])
        const logged = broken.lines.filter(({ requestId, err }) => err && requestId === response.body.requestId)
        assert.equal(logged.length, 1)
        assert.match(JSON.stringify(logged), /security_events.*stack/)
      }
      assert.equal((await broken.portico.store.findById(reader.userId))?.bio, '')
      assertSucceeded(await get(broken, '/api/user-details', { as: reader }))
    })
  })
})
