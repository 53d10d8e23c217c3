import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { everythingStored, someone } from '../support/accounts.ts'
import { type ApiResponse, assertRefused, assertSucceeded, call, fieldsOf, post } from '../support/api.ts'
import {
  type BodyRoute,
  IGNORED_FIELDS,
  INVALID_BODIES,
  nested,
  OTHER_CONTENT_TYPES,
  withEveryBodyRoute,
} from '../support/hostile-input.ts'
import { head, sendRaw } from '../support/raw-http.ts'
import { onSqlite } from '../support/service.ts'

describe('a bad body', () => {
  onSqlite((service) => {
    const every = withEveryBodyRoute(service)
    const { send } = every

    /** Sends a request to every route that takes a body, and checks that the database is unchanged. */
    async function nothingIsStoredBy(sendTo: (route: BodyRoute) => Promise<void>): Promise<void> {
      const stored = await everythingStored(service)
      for (const route of every.routes) await sendTo(route)
      assert.deepEqual(await everythingStored(service), stored)
    }

    for (const [what, ...bodies] of INVALID_BODIES) {
      it(`is refused on every route when it has ${what}`, async () => {
        await nothingIsStoredBy(async (route) => {
          for (const body of bodies) assertNotValid(await send(route, body), `${route.path} ${body}`)
        })
        assert.equal('isAdmin' in {}, false)
      })
    }

    it('may have any content in fields that no operation has', async () => {
      for (const field of IGNORED_FIELDS) {
        const person = await someone(service)
        const body = `{"bio":"Hello",${field},"location":{${field},"city":"London"}}`
        assertSucceeded(await post(service, '/api/user-details', body, { as: person }))
        const row = await service.portico.store.findById(person.userId)
        assert.deepEqual([row?.bio, row?.city], ['Hello', 'London'])
        assertSucceeded(await post(service, '/api/forgot-password', `{"email":"${person.email}",${field}}`))
      }
      assert.equal('isAdmin' in {}, false)
    })

    it('is refused with a NUL or a lone surrogate in any field of an operation except passwords', async () => {
      await nothingIsStoredBy(async (route) => {
        for (const text of ['\\u0000', '\\ud800']) {
          for (const field of route.fields.filter((field) => !/password/i.test(field))) {
            const response = await send(route, `{"${field}":"${text}"}`)
            assertNotValid(response, `${route.path} ${field}`)
          }
        }
      })
    })

    it('counts as one without fields when it is empty or null', async () => {
      // The first options for a passkey store the user handle of the account.
      assertSucceeded(await post(service, '/api/passkeys/registration-options', {}, { as: every.person }))
      await nothingIsStoredBy(async (route) => {
        for (const body of ['', 'null']) {
          const response = await send(route, body)
          if (route.needsBody || response.status !== 200) assertNotValid(response, route.path)
          else assertSucceeded(response)
        }
      })
    })

    it('counts as no body when it is empty, whatever its content type', async () => {
      for (const type of OTHER_CONTENT_TYPES) {
        const deletedUser = await someone(service)
        const send = (method: string, path: string) =>
          call(service, method, path, '', { as: deletedUser, headers: { 'content-type': type } })
        assertSucceeded(await send('DELETE', '/api/upload-avatar'))
        assertSucceeded(await send('POST', '/api/user-details'))
        assertSucceeded(await send('POST', '/api/auth/logout'))
        assertNotValid(await send('POST', '/api/forgot-password'), type)
      }
    })

    it('is refused with 200 kB on every route', async () => {
      const body = JSON.stringify({ bio: 'x'.repeat(200_000) })
      await nothingIsStoredBy(async (route) => assertRefused(await send(route, body), 413))
    })

    it('is refused with 200 kB also without a Content-Length', async () => {
      const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
      const lines = ['Host: x', 'Connection: close', 'Content-Type: application/json', 'Transfer-Encoding: chunked']
      const response = await sendRaw(service, head('POST /api/log-in HTTP/1.1', ...lines), chunk, chunk, chunk)
      assertRefused(response, 413)
    })

    it('is accepted with exactly 64 KiB and 20 levels', async () => {
      const padded = (size: number) => '{}'.padEnd(size)
      assertSucceeded(await post(service, '/api/user-details', padded(65_536), { as: every.person }))
      assertRefused(await post(service, '/api/user-details', padded(65_537), { as: every.person }), 413)
      assertSucceeded(await post(service, '/api/user-details', nested(20), { as: every.person }))
      assertRefused(await post(service, '/api/user-details', nested(21), { as: every.person }), 400)
    })

    it('is refused on every route with any content type but JSON', async () => {
      await nothingIsStoredBy(async (route) => {
        for (const type of OTHER_CONTENT_TYPES) {
          const response = await send(route, '{"bio":"x"}', { headers: { 'content-type': type } })
          assertNotValid(response, `${route.path} ${type}`)
        }
        assertNotValid(await sendWithoutType(route), route.path)
      })
    })

    function sendWithoutType({ method, path }: BodyRoute): Promise<ApiResponse> {
      const session = [`Authorization: Bearer ${every.person.accessToken}`, `X-Session-Id: ${every.person.sessionId}`]
      const lines = ['Host: x', 'Connection: close', 'Content-Length: 11', ...session]
      return sendRaw(service, head(`${method} ${path} HTTP/1.1`, ...lines), '{"bio":"x"}')
    }
  })
})

function assertNotValid(response: ApiResponse, what: string): void {
  assert.equal(response.status, 400, `${what}: ${JSON.stringify(response.body)}`)
  assertRefused(response, 400, 'Validation failed')
  assert.notDeepEqual(fieldsOf(response), {})
}
