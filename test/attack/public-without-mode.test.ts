import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { someone } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, fetchPlain, get } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { ENGINES, type Service, startLoggedService } from '../support/service.ts'

const PUBLIC: Record<string, string>[] = [
  { host: 'portico.example', 'x-forwarded-for': '203.0.113.7' },
  { host: 'portico.example', via: '1.1 proxy' },
  { host: 'portico.example', 'cf-connecting-ip': '203.0.113.7' },
  { 'x-forwarded-proto': 'https' },
  { 'x-forwarded-proto': 'http, HTTPS' },
  { 'x-forwarded-host': 'portico.example' },
  { forwarded: 'for=203.0.113.7;proto=https' },
  { forwarded: 'for=203.0.113.7, for=127.0.0.1; Host="portico.example"' },
]
const LOCAL: Record<string, string>[] = [
  {},
  { host: 'localhost', 'x-forwarded-for': '203.0.113.7, 198.51.100.2' },
  { 'x-real-ip': '203.0.113.7' },
  { 'x-forwarded-host': 'localhost:3000', 'x-forwarded-proto': 'http' },
  { forwarded: 'for=203.0.113.7;host=localhost;proto=http' },
  { host: 'portico.example' },
]

for (const engine of ENGINES) {
  describe(`a service without NODE_ENV, on ${engine},`, () => {
    it('responds with 503 to requests forwarded from a public address, and logs the setting once', async (t) => {
      const service = await startLoggedService(engine, { NODE_ENV: '' })
      cleanUp(t, service.close)
      for (const headers of PUBLIC) {
        for (const path of ['/', '/api/user-details', '/healthz', '/dev/mailbox']) {
          const { status, body } = await fetchPlain(service, path, headers)
          assert.equal(status, 503, JSON.stringify(headers))
          assert.match(JSON.parse(body.toString()).message, /set NODE_ENV=production, or NODE_ENV=development/)
        }
      }
      const warnings = service.lines.filter(({ message }) => String(message).includes('set NODE_ENV=production'))
      assert.equal(warnings.length, 1)
    })

    it('serves this machine, whatever address a header claims', async (t) => {
      const service = await startLoggedService(engine, { NODE_ENV: '' })
      cleanUp(t, service.close)
      const person = await someone(service)
      for (const headers of LOCAL) await assertServed(service, person, headers)
    })

    it('with NODE_ENV=development serves both', async (t) => {
      const service = await startLoggedService(engine, { NODE_ENV: 'development' })
      cleanUp(t, service.close)
      const person = await someone(service)
      for (const headers of [...PUBLIC, ...LOCAL]) await assertServed(service, person, headers)
    })
  })
}

async function assertServed(
  service: Service,
  person: Awaited<ReturnType<typeof someone>>,
  headers: Record<string, string>,
) {
  assertSucceeded(await get(service, '/api/user-details', { as: person, headers }))
  assertRefused(await get(service, '/api/user-details', { headers }), 401)
}
