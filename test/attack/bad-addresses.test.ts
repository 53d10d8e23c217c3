import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { everythingStored, someone } from '../support/accounts.ts'
import { assertHandled, assertRefused, assertSucceeded, fieldsOf, get, type Person, post } from '../support/api.ts'
import { head, sendRaw } from '../support/raw-http.ts'
import { onSqlite } from '../support/service.ts'

const LONG = 'x'.repeat(30_000)

const NO_ROUTE = [
  '/api/',
  '/api//log-in',
  '/api/log-in/',
  '/api/LOG-IN',
  '/api/log-in;x=1',
  '/api/log-in%00',
  '/api/log-in%2F',
  '/api/%2e%2e/api/log-in',
  '/api/../api/log-in',
  '/api/..%2f..%2fetc%2fpasswd',
  '/api/__proto__',
  '/api/constructor',
  '/api/%ff%fe',
  '/api/%zz',
  '/api/%',
  '/api/%u0041',
  `/api/${LONG}`,
]

const FAULTY_QUERIES: [path: string, field: string, queries: string[]][] = [
  [
    '/api/change-username',
    'username',
    [
      '',
      '?',
      '?username=',
      '?username[$ne]=1',
      '?username=grace&username=hopper',
      '?username=%00',
      '?username=gr%00ace',
      '?username=%ff',
      '?username=%ed%a0%80',
      `?username=${encodeURIComponent("' OR '1'='1")}`,
      `?username=${LONG}`,
      `?${'&'.repeat(5000)}`,
      '?__proto__=grace',
      '?__proto__[username]=grace',
      '?constructor[prototype][username]=grace',
    ],
  ],
  [
    '/api/security-events',
    'limit',
    ['?limit=', '?limit=x', '?limit=0', '?limit=-1', '?limit=101', '?limit=1.5', '?limit=1&limit=2', `?limit=${LONG}`],
  ],
  ['/api/security-events', 'before', ['?before=%00', '?before=a%00', `?before=${LONG}`, '?before=a&before=b']],
]

describe('a bad path or query', () => {
  onSqlite((service) => {
    let person: Person
    before(async () => {
      person = await someone(service)
    })

    for (const path of NO_ROUTE) {
      it(`gets 404 at ${path.slice(0, 40)}`, async () => {
        const lines = ['Host: x', 'Connection: close', 'Content-Type: application/json', 'Content-Length: 2']
        const response = await sendRaw(service, head(`POST ${path} HTTP/1.1`, ...lines), '{}')
        assertHandled(response, [400, 404])
        assert.doesNotMatch(JSON.stringify(response.body), /FST_|zz|passwd/)
      })
    }

    for (const [path, field, queries] of FAULTY_QUERIES) {
      for (const query of queries) {
        it(`is refused at ${path}${query.slice(0, 40)}`, async () => {
          const stored = await everythingStored(service)
          const response = await get(service, path + query, { as: person })
          assertRefused(response, 400, 'Validation failed')
          assert.deepEqual(Object.keys(fieldsOf(response)), [field])
          assert.deepEqual(await everythingStored(service), stored)
        })
      }
    }

    it('has its unknown parameters ignored', async () => {
      const query = `?username=grace.h&__proto__=x&constructor=y&extra=${LONG}`
      const response = await get(service, `/api/change-username${query}`, { as: person })
      assertSucceeded(response)
      assert.deepEqual(response.body.data, { available: true })
    })

    it('is ignored by a POST, which reads the body only', async () => {
      const query = `?email=${person.email}&password=${person.password}`
      assertRefused(await post(service, `/api/log-in${query}`, {}), 400, 'Validation failed')
    })
  })
})
