import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { assertAlive, tryRefresh } from '../support/accounts.ts'
import {
  type ApiResponse,
  assertRefused,
  assertSucceeded,
  call,
  get,
  logIn,
  type Person,
  signUp,
} from '../support/api.ts'
import { describedRoutes } from '../support/api-description.ts'
import { FORGERIES, forgedToken } from '../support/forged-tokens.ts'
import { otherSpellings } from '../support/hostile-input.ts'
import { PageVisitor, signUpOnPages } from '../support/page-visitor.ts'
import { head, sendRaw } from '../support/raw-http.ts'
import { onBothEngines } from '../support/service.ts'

const PROTECTED: [method: string, path: string, body?: object][] = [
  ['POST', '/api/auth/logout'],
  ['GET', '/api/user-details'],
  ['POST', '/api/user-details', { bio: 'x' }],
  ['POST', '/api/change-password', { newPassword: 'Another-Horse-7', confirmPassword: 'Another-Horse-7' }],
  ['GET', '/api/change-username?username=somebody'],
  ['POST', '/api/change-username', { username: 'somebody' }],
  ['DELETE', '/api/delete-user', { password: 'Another-Horse-7' }],
  ['POST', '/api/upload-avatar', { avatar: 'https://example.com/a.png' }],
  ['DELETE', '/api/upload-avatar'],
  ['GET', '/api/sessions'],
  ['DELETE', '/api/sessions', { sessionId: randomUUID() }],
  ['GET', '/api/security-events'],
]

const PUBLIC = new Set([
  '/api/create-account',
  '/api/log-in',
  '/api/auth/refresh-token',
  '/api/email-verification',
  '/api/email-verification/resend',
  '/api/forgot-password',
  '/api/reset-password',
  '/api/log-in/code',
  '/api/log-in/code/verify',
  '/api/log-in/passkey',
  '/api/log-in/passkey/options',
  '/api/log-in/second-factor',
  '/api/change-email/undo',
])
const isPublic = (path: string) => PUBLIC.has(path) || path.startsWith('/api/oauth/')

const NO_TOKEN = {
  field: 'authorization',
  code: 'required',
  message: 'Send the access token in the header Authorization: Bearer',
}
const NO_SESSION = {
  field: 'x-session-id',
  code: 'required',
  message: 'Send the id of the session in the header X-Session-Id',
}
const REFUSED =
  'Bearer error="invalid_token", error_description="The access token is invalid or expired, or its session has ended"'

/** Every reason gives the same response. */
function assertNotAuthenticated(response: ApiResponse): void {
  assertRefused(response, 401, 'Authentication required')
  assert.equal(response.headers.get('www-authenticate'), REFUSED)
  assert.ok(!('errors' in response.body))
}

/** The missing header is named, in the words of RFC 6750. */
function assertMissing(response: ApiResponse, errors: object[], challenge: string): void {
  assertRefused(response, 401, 'Authentication required')
  assert.deepEqual(response.body.errors, errors)
  assert.equal(response.headers.get('www-authenticate'), challenge)
}

describe('authentication', () => {
  onBothEngines((service) => {
    let person: Person
    let other: Person
    let otherUser: Person
    before(async () => {
      person = await signUp(service)
      other = await logIn(service, person)
      otherUser = await signUp(service)
    })
    const withHeaders = (headers: Record<string, string>) => get(service, '/api/user-details', { headers })
    const withToken = (token: string, sessionId = person.sessionId) =>
      withHeaders({ authorization: `Bearer ${token}`, 'x-session-id': sessionId })

    for (const [method, path, body] of PROTECTED) {
      it(`is required by ${method} ${path.split('?')[0]}, before any other check`, async () => {
        const noSession = `Bearer error="invalid_request", error_description="${NO_SESSION.message}"`
        const cases: [headers: Record<string, string>, errors: object[], challenge: string][] = [
          [{}, [NO_TOKEN, NO_SESSION], 'Bearer'],
          [{ 'x-session-id': person.sessionId }, [NO_TOKEN], 'Bearer'],
          [{ authorization: `Bearer ${person.accessToken}` }, [NO_SESSION], noSession],
        ]
        for (const [headers, ...expected] of cases) {
          assertMissing(await call(service, method, path, body, { headers }), ...expected)
          if (method === 'GET') continue
          assertMissing(await call(service, method, path, '{"unfinished', { headers }), ...expected)
        }
        await assertAlive(service, person)
      })
    }

    it('is required by every route that is not public', async () => {
      const routes = (await describedRoutes(service)).filter(({ path }) => !isPublic(path))
      assert.ok(routes.length >= PROTECTED.length)
      for (const { method, path } of routes) {
        assertMissing(await call(service, method, path), [NO_TOKEN, NO_SESSION], 'Bearer')
      }
    })

    it('names a missing header alike for a valid and an invalid value of the other one', async () => {
      const responses = [
        await withHeaders({ authorization: `Bearer ${person.accessToken}` }),
        await withHeaders({ authorization: 'Bearer nonsense' }),
        await withHeaders({ authorization: 'Bearer nonsense', 'x-session-id': '' }),
      ]
      for (const { status, body, headers } of responses) {
        assert.deepEqual([status, body.errors], [401, [NO_SESSION]])
        assert.equal(headers.get('www-authenticate'), responses[0]?.headers.get('www-authenticate'))
      }
      for (const authorization of ['Basic YTpi', 'Bearer ', 'Bearer', person.accessToken]) {
        for (const sessionId of [person.sessionId, 'nonsense']) {
          assertMissing(await withHeaders({ authorization, 'x-session-id': sessionId }), [NO_TOKEN], 'Bearer')
        }
      }
    })

    it('accepts a token without a defect, so that the following ones are refused for their one defect', async () => {
      assertSucceeded(await withToken(await forgedToken(service, person)))
    })

    for (const [what, forge] of FORGERIES) {
      it(`refuses a token ${what}`, async () => {
        assertNotAuthenticated(await withToken(await forge(service, person, otherUser)))
        await assertAlive(service, person)
      })
    }

    it('refuses a token of 100 kB for the size of the headers', async () => {
      assertRefused(await withToken('a'.repeat(100_000)), 431)
      await assertAlive(service, person)
    })

    it('ends with the 15 minutes of a token, also of one that was accepted before', async (t) => {
      const now = Date.now()
      t.mock.timers.enable({ apis: ['Date'], now })
      const [used, unused] = [await forgedToken(service, person), await forgedToken(service, person)]
      assertSucceeded(await withToken(used))
      t.mock.timers.setTime(now + 898_000)
      assertSucceeded(await withToken(used))
      t.mock.timers.setTime(now + 900_000)
      assertNotAuthenticated(await withToken(used))
      assertNotAuthenticated(await withToken(unused))
      // Sent again: a token that was removed from the cache is not accepted as a new one.
      assertNotAuthenticated(await withToken(used))
    })

    it('accepts an access token in one spelling only', async () => {
      for (const spelling of otherSpellings(person.accessToken)) assertNotAuthenticated(await withToken(spelling))
      assertSucceeded(await withToken(person.accessToken))
    })

    it('accepts a refresh token in one spelling only', async () => {
      for (const refreshToken of otherSpellings(other.refreshToken)) {
        assertRefused(await tryRefresh(service, { ...other, refreshToken }), 401, 'Invalid or expired refresh token')
      }
      const response = await tryRefresh(service, other)
      assertSucceeded(response)
      Object.assign(other, response.body.data)
    })

    it('accepts the cookie of a browser in one spelling only', async () => {
      const { visitor } = await signUpOnPages(service)
      const cookie = visitor.cookies.get('portico_session') ?? ''
      for (const spelling of otherSpellings(cookie)) {
        const copy = new PageVisitor(service)
        copy.cookies.set('portico_session', spelling)
        assert.match((await copy.get('/account')).location, /^\/log-in/)
      }
      assert.equal((await visitor.get('/account')).status, 200)
    })

    it('accepts the scheme in any case, and no other scheme', async () => {
      const { accessToken, sessionId } = person
      for (const scheme of ['bearer', 'BEARER', 'Bearer']) {
        assertSucceeded(await withHeaders({ authorization: `${scheme} ${accessToken}`, 'x-session-id': sessionId }))
      }
      const wrong = ['Basic', 'Token', 'Bearer:', 'xBearer'].map((scheme) => `${scheme} ${accessToken}`)
      for (const authorization of [...wrong, accessToken, 'Bearer']) {
        assertMissing(await withHeaders({ authorization, 'x-session-id': sessionId }), [NO_TOKEN], 'Bearer')
      }
      for (const token of [`Bearer ${accessToken}`, `${accessToken} x`, `${accessToken},`]) {
        assertNotAuthenticated(await withToken(token))
      }
    })

    it('reads the token from no place but its header', async () => {
      const headers = { 'x-session-id': person.sessionId, cookie: `accessToken=${person.accessToken}` }
      const path = `/api/user-details?access_token=${person.accessToken}&token=${person.accessToken}`
      assertMissing(await get(service, path, { headers }), [NO_TOKEN], 'Bearer')
    })

    const sessionIds: [string, () => string][] = [
      ['unknown', () => randomUUID()],
      ['of another session of the same person', () => other.sessionId],
      ["of another user's session", () => otherUser.sessionId],
      ['a list with the right one in it', () => `${person.sessionId}, ${person.sessionId}`],
      ['the right one and more', () => `${person.sessionId}x`],
    ]
    for (const [what, sessionId] of sessionIds) {
      it(`refuses a session header that is ${what}`, async () => {
        assertNotAuthenticated(await withToken(person.accessToken, sessionId()))
        for (const each of [person, other, otherUser]) await assertAlive(service, each)
      })
    }

    it('refuses a repeated session header, whatever its values', async () => {
      const ask = (...sessionIds: string[]) =>
        sendRaw(
          service,
          head(
            'GET /api/user-details HTTP/1.1',
            'Host: localhost',
            'Connection: close',
            `Authorization: Bearer ${person.accessToken}`,
            ...sessionIds.map((id) => `X-Session-Id: ${id}`),
          ),
        )
      assertSucceeded(await ask(person.sessionId))
      for (const second of [person, other, otherUser]) {
        assertNotAuthenticated(await ask(person.sessionId, second.sessionId))
        assertNotAuthenticated(await ask(second.sessionId, person.sessionId))
      }
    })
  })
})
