import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newEmail } from '../support/api.ts'
import { freshDatabase, type Service, startOn } from '../support/service.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'

describe('outbox of two instances on one PostgreSQL', () => {
  it('delivers each of 50 mails once, whoever sends it', async (t) => {
    const database = await freshDatabase('postgres')
    t.after(() => database.drop())
    const sinks = [await startSmtpSink(), await startSmtpSink()] as [SmtpSink, SmtpSink]
    const instances = await Promise.all(sinks.map(({ url }) => startOn({ ...database.env, SMTP_URL: url })))
    t.after(() =>
      Promise.all(instances.map((instance) => instance.close())).then(() => Promise.all(sinks.map((s) => s.down()))),
    )
    const [one, other] = instances as [Service, Service]

    // Both must hold mails before either may let go of one.
    const { promise: bothHold, resolve } = Promise.withResolvers<void>()
    for (const each of sinks) each.holdUntil(bothHold)
    const emails = Array.from({ length: 50 }, newEmail)
    await one.portico.database.transaction(async (tx) => {
      for (const email of emails) {
        await one.portico.outbox.post(tx, email, one.portico.messages.accountDeleted('Grace'))
      }
    })
    other.portico.courier.wake()
    await Promise.all(sinks.map(({ firstOffer }) => firstOffer))
    resolve()
    await Promise.all(instances.map(({ portico }) => portico.courier.idle()))

    const delivered = sinks.flatMap(({ mails }) => mails.flatMap(({ recipients }) => recipients))
    assert.deepEqual(delivered.sort(), emails.sort())
    assert.ok(sinks.every(({ mails }) => mails.length > 0))
    assert.deepEqual(await one.portico.database.query.selectFrom('outbox').select('id').execute(), [])
  })
})
