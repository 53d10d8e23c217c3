import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newEmail } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { type SmtpSink, startSmtpSink } from '../support/mail.ts'
import { startOn, temporaryDatabase } from '../support/service.ts'

describe('the outbox of two instances on one PostgreSQL', () => {
  it('delivers each of 50 mails once, from either instance', async (t) => {
    const env = await temporaryDatabase(t, 'postgres')
    const sinks: SmtpSink[] = []
    const start = async () => {
      const sink = await startSmtpSink()
      cleanUp(t, () => sink.down())
      sinks.push(sink)
      const instance = await startOn({ ...env, SMTP_URL: sink.url })
      cleanUp(t, () => instance.close())
      return instance
    }
    const [one, other] = [await start(), await start()]

    // Both must have leased mails before either may release one.
    const { promise: bothHaveLeased, resolve } = Promise.withResolvers<void>()
    for (const each of sinks) each.respondAfter(bothHaveLeased)
    const emails = Array.from({ length: 50 }, newEmail)
    await one.portico.database.transaction(async (tx) => {
      for (const email of emails) {
        await one.portico.outbox.enqueue(tx, email, one.portico.messages.accountDeleted('Grace'))
      }
    })
    other.portico.deliveryWorker.wake()
    await Promise.all(sinks.map(({ firstOffer }) => firstOffer))
    resolve()
    await Promise.all([one, other].map(({ portico }) => portico.deliveryWorker.idle()))

    const delivered = sinks.flatMap(({ mails }) => mails.flatMap(({ recipients }) => recipients))
    assert.deepEqual(delivered.sort(), emails.sort())
    assert.ok(sinks.every(({ mails }) => mails.length > 0))
    assert.deepEqual(await one.portico.database.query.selectFrom('outbox').select('id').execute(), [])
  })
})
