import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { newEmail } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startSmtpSink } from '../support/mail.ts'
import { ENGINES, type Service, startOn, temporaryDatabase } from '../support/service.ts'

const RENEWAL_INTERVAL_MS = 30_000

/** Resolves when an instance has renewed the lease of the mail. */
async function untilRenewed({ portico: { database } }: Service, mails: number): Promise<void> {
  const { query, now } = database
  const renewed = query
    .selectFrom('outbox')
    .select('id')
    .where((eb) => eb('due_at', '>', eb(now, '+', 100_000)))
  const deadline = Date.now() + 60_000
  while ((await renewed.execute()).length < mails) {
    assert.ok(Date.now() < deadline, 'no instance renews the lease of the mails')
    await setTimeout(10)
  }
}

for (const engine of ENGINES) {
  describe(`a mail server that takes minutes for each mail, on ${engine}`, () => {
    it('gets each mail once, from one of two instances', async (test) => {
      test.mock.timers.enable({ apis: ['setInterval'] })
      const sink = await startSmtpSink()
      cleanUp(test, () => sink.down())
      const env = { ...(await temporaryDatabase(test, engine)), SMTP_URL: sink.url }
      const one = await startOn(env)
      cleanUp(test, () => one.close())
      const { promise: responseDelay, resolve: endDelay } = Promise.withResolvers<void>()
      cleanUp(test, endDelay)

      sink.respondAfter(responseDelay)
      const emails = Array.from({ length: 12 }, newEmail)
      const { outbox, messages, deliveryWorker } = one.portico
      await one.portico.database.transaction(async (tx) => {
        for (const email of emails) await outbox.enqueue(tx, email, messages.accountDeleted('Grace'))
      })
      await sink.firstOffer
      const leasedCount = 5
      for (let minutes = 0; minutes < 5; minutes += 1.5) {
        await one.advanceTime({ minutes: 1.5 })
        test.mock.timers.tick(RENEWAL_INTERVAL_MS)
        await untilRenewed(one, leasedCount)
      }
      // The other instance sends the mails that the first has not leased, and nothing else.
      const other = await startOn(env)
      cleanUp(test, () => other.close())
      endDelay()
      await Promise.all([deliveryWorker.idle(), other.portico.deliveryWorker.idle()])
      assert.deepEqual(sink.mails.flatMap(({ recipients }) => recipients).sort(), emails.sort())
    })
  })
}
