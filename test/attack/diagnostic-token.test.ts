import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { openKeyedHash } from '../../src/database/secrets.ts'
import { createDiagnosticTokens } from '../../src/http/diagnostic-token.ts'
import { DOCTOR_HEADER, DOCTOR_PATH } from '../../src/http/doctor-hook.ts'
import { onBothEngines } from '../support/service.ts'

const UNKNOWN_PATH = '/.well-known/portico-nobody'

describe('the page that tells portico doctor how a request arrived', () => {
  onBothEngines((service) => {
    let hash: (text: string) => string
    before(async () => {
      hash = await openKeyedHash(service.portico.database.query)
    })
    const tokenFrom = (offsetMs: number, key = hash) => createDiagnosticTokens(key, () => Date.now() + offsetMs).issue()

    /** Everything that a client sees, except what differs between any two responses. */
    async function responseAt(path: string, token: string | undefined, method = 'GET') {
      const headers = { 'X-Forwarded-For': '203.0.113.9', ...(token !== undefined && { [DOCTOR_HEADER]: token }) }
      const response = await fetch(service.url + path, { method, headers, redirect: 'manual' })
      const own = ['date', 'x-request-id', 'etag']
      return {
        status: response.status,
        headers: [...response.headers].filter(([name]) => !own.includes(name)),
        body: (await response.text()).replaceAll(path, '').replace(/"requestId":"[^"]*"|"timestamp":"[^"]*"/g, ''),
      }
    }

    it('responds to a token of the last minute', async () => {
      for (const offsetMs of [0, -30_000]) {
        const { status, body, headers } = await responseAt(DOCTOR_PATH, tokenFrom(offsetMs))
        assert.equal(status, 200)
        assert.deepEqual(JSON.parse(body), {
          peer: '127.0.0.1',
          client: '127.0.0.1',
          host: new URL(service.url).host,
          forwardedFor: '203.0.113.9',
        })
        assert.deepEqual(
          headers.filter(([name]) => name === 'cache-control'),
          [['cache-control', 'no-store']],
        )
      }
    })

    const attacks: [string, () => string | undefined][] = [
      ['no token', () => undefined],
      ['an empty token', () => ''],
      ['a token without a MAC', () => String(Date.now())],
      ['a token that is replayed after a minute', () => tokenFrom(-61_000)],
      ['a token of the future', () => tokenFrom(90_000)],
      ['a token with the MAC of another time', () => `${Date.now()}.${tokenFrom(-61_000).split('.')[1]}`],
      ['a MAC with one character changed', () => tokenFrom(0).replace(/.$/, (last) => (last === 'A' ? 'E' : 'A'))],
      ['a token of another database', () => tokenFrom(0, keyed(randomBytes(32)))],
      ['a token with an empty key', () => tokenFrom(0, keyed(Buffer.alloc(0)))],
      ['two tokens', () => `${tokenFrom(0)}, ${tokenFrom(0)}`],
      ['20,000 digits', () => '1'.repeat(20_000)],
    ]
    for (const [what, token] of attacks) {
      it(`is a path like any unknown one with ${what}`, async () => {
        const value = token()
        const response = await responseAt(DOCTOR_PATH, value)
        assert.equal(response.status, 404)
        assert.deepEqual(response, await responseAt(UNKNOWN_PATH, value))
      })
    }

    it('is a path like any unknown one for other methods, also with a token', async () => {
      for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const value = tokenFrom(0)
        assert.deepEqual(
          await responseAt(DOCTOR_PATH, value, method),
          await responseAt(UNKNOWN_PATH, value, method),
          method,
        )
      }
    })
  })
})

function keyed(key: Buffer) {
  return (text: string) => createHmac('sha256', key).update(text).digest('base64url')
}
