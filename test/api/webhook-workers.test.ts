import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { crowd } from '../support/accounts.ts'
import { cleanUp } from '../support/clean-up.ts'
import { signUpOwner } from '../support/owners.ts'
import { startOn, temporaryDatabase } from '../support/service.ts'
import { createWebhook, PRIVATE_WEBHOOKS, startReceiver } from '../support/webhooks.ts'

describe('the webhook deliveries of two instances on one PostgreSQL', () => {
  it('are sent once each, by either instance', async (t) => {
    const env = { ...(await temporaryDatabase(t, 'postgres')), ...PRIVATE_WEBHOOKS }
    const receiver = await startReceiver(t)
    const start = async () => {
      const instance = await startOn(env)
      cleanUp(t, () => instance.close())
      return instance
    }
    const [one, other] = [await start(), await start()]
    await createWebhook(one, await signUpOwner(one), receiver.url, ['session.started'])
    const people = await crowd(one, 50)
    other.portico.webhookWorker.wake()
    await Promise.all([one, other].map(({ portico }) => portico.webhookWorker.idle()))
    const users = receiver.received.map(({ body }) => JSON.parse(body).data.userId)
    assert.deepEqual(users.sort(), people.map(({ userId }) => userId).sort())
  })
})
