import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { call, fetchPlain, post } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { METRICS_TOKEN, scrape, seriesNames } from '../support/monitoring.ts'
import { exchange, head } from '../support/raw-http.ts'
import { ENGINES, type Service, startService } from '../support/service.ts'

// A part of a path, a header or a name that no request before had.
const fresh = () => randomBytes(6).toString('hex')
const METHODS = ['GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'PROPFIND', 'M-SEARCH', 'BREW']

/** Requests with invented paths, methods, headers and names. */
async function inventRequests(service: Service): Promise<void> {
  for (const method of METHODS) {
    const paths = [
      `/${fresh()}`,
      `/api/${fresh()}`,
      `/uploads/${fresh()}`,
      `/blog/${fresh()}`,
      `/%2e%2e/${fresh()}`,
      '/api/log-in',
    ]
    for (const path of paths) {
      const headers = [`Host: ${fresh()}.example`, `X-Forwarded-For: ${fresh()}`, `X-${fresh()}: ${fresh()}`]
      await exchange(service, [head(`${method} ${path}?${fresh()} HTTP/1.1`, ...headers, 'Connection: close')])
    }
  }
  await post(service, '/api/log-in', { email: `${fresh()}@example.com`, password: fresh() }, clientAt(fresh()))
  await post(service, '/api/log-in/second-factor', { challenge: fresh(), code: '123456' })
  await call(service, 'GET', `/api/oauth/idp?state=${fresh()}&code=${fresh()}`)
}

function clientAt(name: string) {
  return { headers: { 'user-agent': name, 'x-request-id': name, traceparent: name } }
}

for (const engine of ENGINES) {
  describe(`metrics on ${engine}`, () => {
    const suite = suiteCleanUp()
    let service: Service
    before(async () => {
      service = await startService(engine, { METRICS_TOKEN })
      cleanUp(suite, () => service.close())
    })

    it('get no further series from what clients invent', async () => {
      await inventRequests(service)
      // The first scrape is a request too, and the second has its series.
      await scrape(service)
      const known = seriesNames(await scrape(service))
      await inventRequests(service)
      await inventRequests(service)
      const seen = seriesNames(await scrape(service))
      assert.deepEqual(seen, known)
      assert.ok(seen.length < 600, `${seen.length} series`)
    })

    it('are at a path that does not exist without the right token', async () => {
      const wrong = [
        undefined,
        'Bearer ',
        `Bearer ${METRICS_TOKEN.slice(0, -1)}`,
        `Bearer ${METRICS_TOKEN}x`,
        `Bearer ${METRICS_TOKEN.slice(0, -1)}x`,
        `Bearer  ${METRICS_TOKEN}`,
        `Basic ${METRICS_TOKEN}`,
        METRICS_TOKEN,
      ]
      for (const authorization of wrong) {
        for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'OPTIONS']) {
          const [metrics, unknown] = await Promise.all(
            ['/metrics', '/metricz'].map((path) => visited(method, path, authorization)),
          )
          assert.deepEqual(metrics, unknown, `${method} with ${authorization}`)
          assert.equal(metrics?.status, 404)
        }
      }
      assert.ok((await scrape(service)).size > 10)
    })

    /** A response without what differs between two requests. */
    async function visited(method: string, path: string, authorization: string | undefined) {
      const sent = authorization === undefined ? {} : { authorization }
      const { status, headers, body } = await fetchPlain(service, path, sent, method)
      for (const name of ['date', 'x-request-id']) headers.delete(name)
      const text = body.toString().replaceAll(path, '')
      return { status, headers: [...headers], text: text.replace(/"(timestamp|requestId)":"[^"]*"/g, '') }
    }
  })
}
