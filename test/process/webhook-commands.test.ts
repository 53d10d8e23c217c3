import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { someone } from '../support/accounts.ts'
import { runPortico } from '../support/process.ts'
import { startOn, temporaryDatabase } from '../support/service.ts'
import { deliverDue, PRIVATE_WEBHOOKS, startReceiver } from '../support/webhooks.ts'

describe('portico webhook', () => {
  it('creates a webhook for a running service, shows what was sent, sends it again, and deletes it', async (t) => {
    const receiver = await startReceiver(t)
    const env = { ...(await temporaryDatabase(t, 'sqlite')), ...PRIVATE_WEBHOOKS }
    const service = await startOn(env)
    const run = async (...words: string[]) => {
      const { code, stdout, stderr } = await runPortico(t, ['webhook', ...words], { env })
      assert.equal(code, 0, stderr)
      return stdout
    }
    try {
      const added = JSON.parse(await run('add', receiver.url, '--events', 'session.started', '--json'))
      const { webhookId } = added.webhook
      await someone(service)
      await deliverDue(service)
      const { deliveries } = JSON.parse(await run('deliveries', webhookId, '--json'))
      assert.deepEqual(
        deliveries.map(({ state, statusCode }: Record<string, unknown>) => [state, statusCode]),
        [['delivered', 204]],
      )
      assert.match(await run('resend', deliveries[0].deliveryId), /due now/)
      await deliverDue(service)
      assert.equal(receiver.received.length, 2)
      for (const { body, headers } of receiver.received) new Webhook(added.secret).verify(body, headers)
      assert.match(await run('list'), new RegExp(`${webhookId} +http://127.0.0.1:\\d+/hook +on +session.started`))
      const types = /one (?:or more )?of account\.created, .*session\.started/
      for (const [words, expected] of [
        [['add', receiver.url], /^Give --events: /],
        [['add', receiver.url, '--events', ''], /^--events: "" must/],
        [['change', webhookId, '--events', 'session.started, bogus'], /^--events: "bogus" must/],
      ] as const) {
        const { code, stderr } = await runPortico(t, ['webhook', ...words], { env })
        assert.equal(code, 2)
        assert.match(stderr, expected)
        assert.match(stderr, types)
      }
      await run('remove', webhookId, '--yes')
      assert.deepEqual(await service.portico.database.query.selectFrom('webhook_deliveries').selectAll().execute(), [])
    } finally {
      await service.close()
    }
  })
})
