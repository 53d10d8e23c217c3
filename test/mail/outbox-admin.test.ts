import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { beforeEach, describe, it } from 'node:test'
import { COMMAND_LINE } from '../../src/events/owner-actions.ts'
import { dropMails, listMails, retryMails } from '../../src/mail/outbox-admin.ts'
import { dropMails as dropAsOwner } from '../../src/owner/drop-mails.ts'
import { someone } from '../support/accounts.ts'
import { newEmail } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { startSmtpSink } from '../support/mail.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const sink = await startSmtpSink()
const suite = suiteCleanUp()
cleanUp(suite, () => sink.down())

const MINUTE_MS = 60_000

interface Row {
  attempts?: number
  dueInMs?: number
  isFailed?: boolean
  expiresInMs?: number
  text?: string
  recipient?: string
}

/** Inserts a mail in this state, and returns its id. */
async function insertMail({ portico }: Service, row: Row = {}): Promise<string> {
  const { attempts = 0, dueInMs = 0, isFailed = false, expiresInMs, text = 'text', recipient = newEmail() } = row
  const { query, now } = portico.database
  const id = randomUUID()
  await query
    .insertInto('outbox')
    .values((eb) => ({
      id,
      recipient,
      subject: 'Subject',
      text_body: text,
      html_body: '<p>HTML</p>',
      created_at: now,
      attempts,
      due_at: eb(now, '+', dueInMs),
      failed_at: isFailed ? now : null,
      expires_at: expiresInMs === undefined ? null : eb(now, '+', expiresInMs),
    }))
    .execute()
  return id
}

async function deliver({ portico }: Service): Promise<void> {
  portico.deliveryWorker.wake()
  await portico.deliveryWorker.idle()
}

describe('the commands for the outbox', () => {
  onBothEngines(
    (service, engine) => {
      beforeEach(async () => {
        sink.refuse()
        await service.portico.database.query.deleteFrom('outbox').execute()
      })

      it('list mails without their texts, and only failed ones if asked', async () => {
        const failed = await insertMail(service, { isFailed: true, attempts: 3, text: '123456' })
        const waiting = await insertMail(service, { dueInMs: 60 * MINUTE_MS, text: '123456' })
        const mails = await listMails(service.portico.database)
        assert.deepEqual(mails.map(({ id }) => id).sort(), [failed, waiting].sort())
        assert.ok(!JSON.stringify(mails).includes('123456'))
        assert.deepEqual(
          (await listMails(service.portico.database, { onlyFailed: true })).map(({ id, dueAt }) => [id, dueAt]),
          [[failed, null]],
        )
      })

      it('deliver a mail that had failed permanently once, with all its tries again', async () => {
        const { email } = await someone(service)
        await deliver(service)
        const before = sink.mailsTo(email).length
        const id = await insertMail(service, { isFailed: true, attempts: 30, recipient: email })
        sink.refuse(451)
        assert.deepEqual(await retryMails(service.portico.database, [id]), { done: [id], left: [] })
        await deliver(service)
        assert.deepEqual(
          (await listMails(service.portico.database)).map(({ attempts, failedAt }) => [attempts, failedAt]),
          [[1, null]],
        )
        sink.refuse()
        await service.advanceTime({ minutes: 5 })
        await deliver(service)
        assert.equal(sink.mailsTo(email).length, before + 1)
      })

      it('leave a mail alone that is being sent', async () => {
        const { promise, resolve } = Promise.withResolvers<void>()
        sink.respondAfter(promise)
        const recipient = newEmail()
        const id = await insertMail(service, { recipient })
        const offers = sink.offers
        service.portico.deliveryWorker.wake()
        while (sink.offers === offers) await new Promise((next) => setImmediate(next))
        const { database } = service.portico
        assert.deepEqual(await retryMails(database, [id]), { done: [], left: [{ id, reason: 'sending' }] })
        assert.deepEqual(await dropMails(database, [id]), { done: [], left: [{ id, reason: 'sending' }] })
        resolve()
        await deliver(service)
        assert.equal(sink.mailsTo(recipient).length, 1)
        assert.deepEqual(await listMails(database), [])
      })

      it('make a mail due that waits for its next try', async () => {
        const recipient = newEmail()
        const id = await insertMail(service, { attempts: 5, dueInMs: 14 * MINUTE_MS, recipient })
        assert.deepEqual((await retryMails(service.portico.database, [id])).done, [id])
        await deliver(service)
        assert.equal(sink.mailsTo(recipient).length, 1)
      })

      it('do not retry a mail whose code has expired, and know which mails do not exist', async () => {
        const expired = await insertMail(service, { isFailed: true, expiresInMs: -1 })
        const { database } = service.portico
        assert.deepEqual(await retryMails(database, [expired, 'nonsense', expired]), {
          done: [],
          left: [
            { id: expired, reason: 'expired' },
            { id: 'nonsense', reason: 'unknown' },
          ],
        })
        assert.equal((await listMails(database)).length, 1)
        assert.deepEqual(await dropMails(database, [expired]), { done: [expired], left: [] })
      })

      it('delete the content of a dropped mail from the SQLite files', async () => {
        const secret = `secret ${randomUUID()}`
        const id = await insertMail(service, { isFailed: true, text: secret })
        const { config } = service.portico
        const { data } = await dropAsOwner(service.portico).run({
          body: { mailIds: [id] },
          query: {},
          actor: COMMAND_LINE,
        })
        assert.deepEqual(data?.done, [id])
        if (engine === 'postgres' || config.database.engine === 'postgres') return
        for (const file of [config.database.file, `${config.database.file}-wal`])
          assert.ok(!(await readFile(file)).includes(secret), file)
      })
    },
    { SMTP_URL: sink.url },
  )
})
