import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { call, get, post, registration } from '../support/api.ts'
import { assertLogLines, LOG_FIELDS, METRICS_TOKEN, sampleOf, scrape, scrapeAt } from '../support/monitoring.ts'
import { startProcess } from '../support/process.ts'
import { temporaryDatabase } from '../support/service.ts'
import { eventually } from '../support/site.ts'

const HEALTH = { method: 'GET', route: '/healthz', status: '200' }
const TRACED = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' }

// The list of breached passwords, the mail server and the provider do not respond, so that their errors are logged.
const NOBODY = '127.0.0.1:9'
const SETTINGS = {
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  BASE_URL: 'https://portico.example',
  SMTP_URL: `smtp://${NOBODY}`,
  IDP_ISSUER: `https://${NOBODY}`,
  IDP_CLIENT_ID: 'id',
  IDP_CLIENT_SECRET: 'secret',
  BREACHED_PASSWORDS_URL: `http://${NOBODY}/`,
  TRUSTED_PROXIES: '127.0.0.1',
  DRAIN_SECONDS: '0',
  WORKERS: '2',
  METRICS_PORT: '0',
  METRICS_TOKEN,
}

describe('a service with two workers', () => {
  it('has one set of metrics, and log lines that follow the schema', async (t) => {
    const portico = await startProcess(t, { ...(await temporaryDatabase(t, 'sqlite')), ...SETTINGS })
    await portico.logged(/"worker":2,"message":"Listening on/)
    const [, own = ''] = /Metrics at (http:\S+\/metrics)"/.exec(portico.output()) ?? []
    const checkHealth = async (times: number) => {
      // Each on a connection of its own: the workers take turns.
      for (let number = 0; number < times; number++)
        await call(portico, 'GET', '/healthz', undefined, { headers: { connection: 'close' } })
    }

    const endWorker = (worker: number, signal: NodeJS.Signals) => {
      const [, pid] = new RegExp(`"worker ${worker} is process (\\d+)"`).exec(portico.output()) ?? []
      process.kill(Number(pid), signal)
    }

    await checkHealth(10)
    const families = await scrapeAt(own)
    assert.equal(sampleOf(families, 'portico_http_requests_total', HEALTH), 10)
    assert.equal(
      sampleOf(families, 'portico_http_request_duration_seconds_count', { method: 'GET', route: '/healthz' }),
      10,
    )
    // The workers are counted once where they report the same.
    const info = families.get('portico_build_info')?.series
    assert.deepEqual([info?.length, info?.[0]?.value], [1, 1])
    assert.equal(sampleOf(await scrape(portico), 'portico_http_requests_total', HEALTH), 10)
    assert.equal((await fetch(own.replace('/metrics', '/'))).status, 404)
    assert.equal((await get(portico, '/metrics')).status, 404)

    endWorker(1, 'SIGKILL')
    await portico.logged(/"worker":3,"message":"Listening on/)
    await checkHealth(2)
    endWorker(2, 'SIGTERM')
    await portico.logged(/"worker":4,"message":"Listening on/)
    await eventually(async () => {
      assert.equal(sampleOf(await scrapeAt(own), 'portico_http_requests_total', HEALTH), 12, 'no count is lost')
    })

    await post(portico, '/api/create-account', registration(), { headers: TRACED })
    await call(portico, 'GET', '/api/oauth/idp/start', undefined, { headers: TRACED })
    await portico.logged('will try a mail again')
    await portico.stop()
    const lines: Record<string, unknown>[] = portico
      .output()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assertLogLines(lines)
    const fields = new Set(lines.flatMap((line) => Object.keys(line)))
    // `deliveryId` needs a webhook, `mail` is for development, and `lines` for a stdout that does not take them.
    const absent = LOG_FIELDS.filter((field) => !fields.has(field))
    assert.deepEqual(absent, ['deliveryId', 'mail', 'lines'])
  })
})
