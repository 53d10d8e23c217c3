import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { someone } from '../support/accounts.ts'
import { assertSucceeded, newEmail, post, registration } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { codeIn, startSmtpSink } from '../support/mail.ts'
import { onBothEngines, type Service } from '../support/service.ts'

// The shortest duration of a request that waits for the mail server.
const GREETING_TIMEOUT_MS = 10_000

const sink = await startSmtpSink()
const suite = suiteCleanUp()
cleanUp(suite, () => sink.down())

/** Tries all mails that are due, and returns the row of one mail, if it still exists. */
async function deliver({ portico }: Service, email: string) {
  portico.deliveryWorker.wake()
  await portico.deliveryWorker.idle()
  const { query, now } = portico.database
  return query
    .selectFrom('outbox')
    .select(['attempts', 'failed_at', 'last_error'])
    .select((eb) => eb('due_at', '-', now).as('dueIn'))
    .where('recipient', '=', email)
    .executeTakeFirst()
}

/** A mail that never expires, like a notice. */
function postNotice({ portico }: Service, email: string): Promise<void> {
  const { database, outbox, messages } = portico
  return database.transaction((tx) => outbox.enqueue(tx, email, messages.accountDeleted('Grace')))
}

async function createAccount(service: Service): Promise<string> {
  const email = newEmail()
  assertSucceeded(await post(service, '/api/create-account', registration({ email })), 201)
  return email
}

describe('the outbox', () => {
  onBothEngines(
    (service) => {
      beforeEach(async () => {
        sink.refuse()
        await sink.up()
      })

      it('deletes a mail after its delivery', async () => {
        const email = await createAccount(service)
        assert.equal(await deliver(service, email), undefined)
        assert.equal(sink.mailsTo(email).length, 1)
      })

      it('keeps a mail while the server is down, and delivers it when the server is up again', async () => {
        await sink.down()
        const email = await createAccount(service)
        const row = await deliver(service, email)
        assert.equal(row?.attempts, 1)
        assert.equal(row?.failed_at, null)
        assert.match(row?.last_error ?? '', /ECONNREFUSED/)

        await sink.up()
        await deliver(service, email)
        assert.deepEqual(sink.mailsTo(email), [], 'it was tried again before its time')
        await service.advanceTime({ seconds: 10 })
        assert.equal(await deliver(service, email), undefined)
        assert.equal(sink.mailsTo(email).length, 1)
        const verification = { email, verificationCode: codeIn(sink, email) }
        assertSucceeded(await post(service, '/api/email-verification', verification))
      })

      it('retries a mail that was refused temporarily, with backoff', async () => {
        sink.refuse(451)
        const email = newEmail()
        await postNotice(service, email)
        const pauses = [10, 30, 60, 300, 900, 3600, 3600]
        for (const [done, seconds] of pauses.entries()) {
          const row = await deliver(service, email)
          assert.equal(row?.attempts, done + 1)
          assert.equal(row?.failed_at, null)
          assert.match(row?.last_error ?? '', /451/)
          const dueIn = row?.dueIn ?? 0
          assert.ok(dueIn <= seconds * 1000 && dueIn > (seconds - 5) * 1000, `attempt ${done + 1}: ${dueIn}`)
          assert.equal((await deliver(service, email))?.attempts, done + 1)
          // Before the mail is due: the delivery worker polls the outbox by itself too.
          if (done === pauses.length - 1) sink.refuse()
          await service.advanceTime({ seconds })
        }
        assert.equal(await deliver(service, email), undefined)
        assert.equal(sink.mailsTo(email).length, 1)
      })

      it('stops to retry a mail in the end', async () => {
        sink.refuse(451)
        const { email } = await someone(service)
        await postNotice(service, email)
        await deliver(service, email)
        const { query } = service.portico.database
        await query.updateTable('outbox').set({ attempts: 29 }).where('recipient', '=', email).execute()
        await service.advanceTime({ hours: 1 })
        const row = await deliver(service, email)
        assert.equal(row?.attempts, 30)
        assert.notEqual(row?.failed_at, null)
      })

      it('does not retry a mail that was refused permanently, and logs the reason', async () => {
        sink.refuse(550)
        const email = await createAccount(service)
        const row = await deliver(service, email)
        assert.equal(row?.attempts, 1)
        assert.notEqual(row?.failed_at, null)
        assert.match(row?.last_error ?? '', /550/)

        sink.refuse()
        const offers = sink.offers
        await service.advanceTime({ minutes: 5 })
        assert.deepEqual(await deliver(service, email).then((row) => row?.attempts), 1)
        assert.equal(sink.offers, offers)
        assert.deepEqual(sink.mailsTo(email), [])
      })

      it('still shows the operator a code that was refused permanently after it has expired', async () => {
        sink.refuse(550)
        const email = await createAccount(service)
        await deliver(service, email)
        await service.advanceTime({ days: 1 })
        assert.match((await deliver(service, email))?.last_error ?? '', /550/)
      })

      it('never sends a link that has expired', async () => {
        await sink.down()
        const email = await createAccount(service)
        assert.equal((await deliver(service, email))?.attempts, 1)
        await service.advanceTime({ minutes: 60 })
        await sink.up()
        assert.equal(await deliver(service, email), undefined)
        assert.deepEqual(sink.mailsTo(email), [])
      })

      it('holds no mail of a transaction that was rolled back', async () => {
        const { database, outbox, messages } = service.portico
        const email = newEmail()
        const offers = sink.offers
        const rolledBack = database.transaction(async (tx) => {
          await outbox.enqueue(tx, email, messages.accountDeleted('Grace'))
          throw new Error('something else went wrong')
        })
        await assert.rejects(rolledBack, /something else went wrong/)
        assert.equal(await deliver(service, email), undefined)
        assert.equal(sink.offers, offers)
      })

      it('delivers a mail that an instance was sending when it died', async () => {
        const email = newEmail()
        const { query, now } = service.portico.database
        // The row of a mail while it is being sent.
        await query
          .insertInto('outbox')
          .values((eb) => ({
            id: crypto.randomUUID(),
            recipient: email,
            subject: 'Left behind',
            text_body: 'text',
            html_body: '<p>HTML</p>',
            created_at: now,
            attempts: 1,
            due_at: eb(now, '+', 120_000),
          }))
          .execute()
        assert.equal((await deliver(service, email))?.attempts, 1)
        assert.deepEqual(sink.mailsTo(email), [])
        await service.advanceTime({ minutes: 3 })
        assert.equal(await deliver(service, email), undefined)
        assert.equal(sink.mailsTo(email).length, 1)
      })

      it('delays no request while the server sends no greeting', async () => {
        // Connections that are already open were greeted before.
        await sink.down()
        await sink.up()
        const called = sink.mute()
        const began = performance.now()
        const email = await createAccount(service)
        const elapsed = performance.now() - began
        assert.ok(elapsed < GREETING_TIMEOUT_MS, `took ${elapsed} ms`)
        await called
        await sink.down()
        const row = await deliver(service, email)
        assert.equal(row?.attempts, 1)
        assert.equal(row?.failed_at, null)
      })
    },
    { SMTP_URL: sink.url },
  )
})
