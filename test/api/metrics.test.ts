import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createReadOutbox } from '../../src/metrics/outbox.ts'
import { createReadWebhooks } from '../../src/metrics/webhooks.ts'
import { register, someone, tryLogIn, verify } from '../support/accounts.ts'
import { codeFor, get, PASSWORD, post } from '../support/api.ts'
import { METRICS_TOKEN, sampleOf, scrape } from '../support/monitoring.ts'
import { signUpOwner } from '../support/owners.ts'
import { PageVisitor } from '../support/page-visitor.ts'
import { LIMITED } from '../support/rate-limits.ts'
import { onBothEngines } from '../support/service.ts'
import { createWebhook, deliverDue, PRIVATE_WEBHOOKS, startReceiver } from '../support/webhooks.ts'

describe('metrics', () => {
  onBothEngines(
    (service, engine) => {
      /** How much each of these series has grown during the work. */
      async function growthOf(series: [name: string, labels?: Record<string, string>][], work: () => Promise<unknown>) {
        const before = await scrape(service)
        await work()
        const after = await scrape(service)
        return series.map(([name, labels]) => sampleOf(after, name, labels) - sampleOf(before, name, labels))
      }

      it('count requests by method, route and status, with their durations', async () => {
        const person = await someone(service)
        const route = '/api/user-details'
        const grown = await growthOf(
          [
            ['portico_http_requests_total', { method: 'GET', route, status: '200' }],
            ['portico_http_requests_total', { method: 'GET', route, status: '401' }],
            ['portico_http_request_duration_seconds_count', { method: 'GET', route }],
            ['portico_http_requests_total', { method: 'GET', route: 'page', status: '200' }],
            ['portico_http_requests_total', { method: 'GET', route: 'unknown', status: '404' }],
          ],
          async () => {
            for (let call = 0; call < 3; call++) await get(service, route, { as: person })
            await get(service, route)
            for (const path of ['/', '/no-such-page', '/api/no-such-call']) await get(service, path)
          },
        )
        assert.deepEqual(grown, [3, 1, 4, 1, 2])
      })

      it('count log-ins by result, those of the pages too, and the time of their hashes', async () => {
        const { email } = await someone(service)
        const { email: unverified } = await register(service)
        const code = await codeFor(service, unverified)
        const logIns = (method: string, result: string): [string, Record<string, string>] => [
          'portico_log_ins_total',
          { method, result },
        ]
        const grown = await growthOf(
          [
            logIns('password', 'success'),
            logIns('password', 'invalid_credentials'),
            logIns('password', 'rate_limited'),
            logIns('email-verification', 'success'),
            ['portico_rate_limited_total', { limit: 'login' }],
            ['portico_hash_duration_seconds_count'],
          ],
          async () => {
            assert.equal((await tryLogIn(service, email, PASSWORD)).status, 200)
            const { status } = await new PageVisitor(service).submit('/log-in', 'log-in', { email, password: PASSWORD })
            assert.equal(status, 303)
            for (let attempt = 0; attempt < 4; attempt++) await tryLogIn(service, email, 'Wrong-Horse-7')
            // Not even tried: the body does not match the schema.
            await post(service, '/api/log-in', { email })
            await verify(service, unverified, code)
          },
        )
        assert.deepEqual(grown, [2, 3, 1, 1, 1, 5])
      })

      it('have the time of statements by kind', async () => {
        const kinds = (kind: string): [string, Record<string, string>] => [
          'portico_database_query_duration_seconds_count',
          { engine, kind },
        ]
        const [selects = 0, inserts = 0, updates = 0] = await growthOf(
          [kinds('select'), kinds('insert'), kinds('update')],
          async () => {
            const { email } = await register(service)
            await verify(service, email, await codeFor(service, email))
          },
        )
        assert.ok(selects > 0 && inserts > 0 && updates > 0, [selects, inserts, updates].join())
      })

      it('show what is in the outbox', async () => {
        const { database } = service.portico
        const now = Date.now()
        await database.query
          .insertInto('outbox')
          .values(
            [null, null, now].map((failed_at, number) => ({
              id: `metrics-${number}`,
              recipient: 'a@example.com',
              subject: 'Hello',
              text_body: 'Hello',
              html_body: 'Hello',
              created_at: now - 3_600_000 * (number + 1),
              due_at: now + 3_600_000,
              failed_at,
            })),
          )
          .execute()
        // The gauges may be five seconds old.
        const state = await createReadOutbox(database)()
        assert.deepEqual([state?.waiting, state?.failed], [2, 1])
        assert.ok(Math.abs((state?.oldestAgeSeconds ?? 0) - 7200) < 60, String(state?.oldestAgeSeconds))
      })

      it('count the calls of webhooks by result, and show the events that wait for those that are on', async (t) => {
        const receiver = await startReceiver(t)
        const owner = await signUpOwner(service)
        const { webhookId } = await createWebhook(service, owner, receiver.url, ['session.started'])
        const calls = (result: string): [string, Record<string, string>] => ['portico_webhook_calls_total', { result }]
        const grown = await growthOf([calls('success'), calls('failure')], async () => {
          await someone(service)
          await deliverDue(service)
          receiver.status = 500
          await someone(service)
          await deliverDue(service)
        })
        assert.deepEqual(grown, [1, 1])
        const { database } = service.portico
        const { query } = database
        await query
          .updateTable('webhook_deliveries')
          .set({ created_at: Date.now() - 7_200_000 })
          .execute()
        const state = await createReadWebhooks(database)()
        assert.equal(state?.waiting, 1)
        assert.ok(Math.abs((state?.oldestAgeSeconds ?? 0) - 7200) < 60, String(state?.oldestAgeSeconds))
        await query.updateTable('webhooks').set({ disabled_at: 1 }).where('id', '=', webhookId).execute()
        assert.deepEqual(await createReadWebhooks(database)(), { waiting: 0, oldestAgeSeconds: 0 })
      })
    },
    { ...LIMITED, ...PRIVATE_WEBHOOKS, METRICS_TOKEN },
  )
})
