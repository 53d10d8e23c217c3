import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertSucceeded, fetchPlain, post, registration } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { head, sendRaw } from '../support/raw-http.ts'
import { onBothEngines } from '../support/service.ts'
import { markdown, startSite } from '../support/site.ts'

const LOCAL = { host: 'localhost:3000' }
const JSON_TYPE = { accept: 'application/json' }
const PATHS = [
  '/dev/mailbox',
  '/dev/mailbox?to=ada@example.com',
  '/dev/mails',
  '/dev/mails/resetCode?scheme=dark',
  '/dev',
  '/dev/future-page',
  '/dev/%6dailbox',
  '/%64ev/mailbox',
]

// Headers of a request that does not come directly from this machine.
const FOREIGN: [string, Record<string, string>][] = [
  ...['portico.example', 'localhost.portico.example', '192.168.1.2:3000', '127.0.0.1.portico.example', '0.0.0.0'].map(
    (host): [string, Record<string, string>] => [`Host: ${host}`, { host }],
  ),
  ...[
    ['x-forwarded-for', '127.0.0.1'],
    ['x-forwarded-proto', 'http'],
    ['x-forwarded-host', 'localhost'],
    ['x-forwarded-port', '3000'],
    ['x-forwarded', 'for=127.0.0.1'],
    ['x-real-ip', '127.0.0.1'],
    ['forwarded', 'for=127.0.0.1'],
    ['via', '1.1 proxy'],
    ['cf-connecting-ip', '127.0.0.1'],
    ['true-client-ip', '127.0.0.1'],
  ].map(([name = '', value = '']): [string, Record<string, string>] => [
    `${name}: ${value}`,
    { ...LOCAL, [name]: value },
  ]),
]

for (const BASE_URL of ['http://localhost:3000', 'https://portico.example']) {
  describe(`the development pages at ${BASE_URL}`, () => {
    onBothEngines(
      (service) => {
        it('show mails to this machine, by each of its host names', async () => {
          assertSucceeded(await post(service, '/api/create-account', registration()), 201)
          for (const host of ['localhost', 'localhost:3000', 'app.localhost', '127.0.0.1:3000', '[::1]:3000']) {
            const { status, body } = await fetchPlain(service, '/dev/mailbox', { host, ...JSON_TYPE })
            assert.equal(status, 200, host)
            assert.match(body.toString(), /\b\d{6}\b/)
          }
        })

        for (const [what, headers] of FOREIGN) {
          it(`respond with 404 to a request with ${what}`, async () => {
            const unknown = await fetchPlain(service, '/unknown', { ...headers, ...JSON_TYPE })
            for (const path of PATHS) {
              const { status, body } = await fetchPlain(service, path, { ...headers, ...JSON_TYPE })
              assert.equal(status, 404, path)
              assert.deepEqual(JSON.parse(body.toString()), JSON.parse(unknown.body.toString()))
            }
            const { status } = await fetchPlain(service, '/dev/mailbox', headers, 'POST')
            assert.equal(status, 404, 'the method discloses that the page exists')
          })
        }

        it('respond with 404 to HTTP/1.0, by which nginx forwards without any header', async () => {
          const lines = ['Host: 127.0.0.1:3000', 'Connection: close']
          assert.equal((await sendRaw(service, head('GET /dev/mailbox HTTP/1.0', ...lines))).status, 404)
          assert.equal((await sendRaw(service, head('GET /dev/mailbox HTTP/1.1', ...lines))).status, 200)
        })

        it('respond with 404 to a request target in absolute form, which only proxies receive', async () => {
          for (const host of ['portico.example', 'localhost:3000']) {
            const line = `GET http://${host}/dev/mailbox HTTP/1.1`
            assert.equal((await sendRaw(service, head(line, 'Host: localhost', 'Connection: close'))).status, 404)
          }
        })

        it('respond with 404 to every other spelling of their path, from anywhere', async () => {
          for (const path of [
            '/DEV/mailbox',
            '//dev/mailbox',
            '/%2fdev/mailbox',
            '/dev%2fmailbox',
            '/dev/../dev/mailbox',
            '/./dev/mailbox',
            '/dev//mailbox',
          ]) {
            for (const headers of [LOCAL, { host: 'portico.example' }]) {
              assert.notEqual((await fetchPlain(service, path, headers)).status, 200, path)
            }
          }
        })
      },
      { NODE_ENV: 'development', BASE_URL },
    )
  })
}

describe('drafts', () => {
  it('exist for this machine only, for reading and for writing', async (t) => {
    const site = await startSite({ 'posts/rough.md': markdown({ title: 'Rough', date: '2024-01-01', draft: true }) })
    cleanUp(t, site.close)
    for (const path of ['/dev/drafts', '/dev/drafts/blog/rough', '/dev/drafts/']) {
      for (const headers of [{ host: 'portico.example' }, { ...LOCAL, via: '1.1 proxy' }]) {
        for (const method of ['GET', 'POST']) {
          const { status, body } = await fetchPlain(site, path, headers, method)
          assert.equal(status, 404, `${method} ${path}`)
          assert.doesNotMatch(body.toString(), /Rough/)
        }
      }
    }
    assert.equal((await fetchPlain(site, '/dev/drafts', LOCAL)).status, 200)
  })
})
