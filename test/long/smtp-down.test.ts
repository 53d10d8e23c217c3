import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertSucceeded, newEmail, post, registration } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { codeIn, startSmtpSink } from '../support/mail.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const sink = await startSmtpSink()
const suite = suiteCleanUp()
cleanUp(suite, () => sink.down())

async function create(service: Service, count: number): Promise<{ emails: string[]; milliseconds: number }> {
  const emails = Array.from({ length: count }, newEmail)
  const began = performance.now()
  for (const email of emails) assertSucceeded(await post(service, '/api/create-account', registration({ email })), 201)
  return { emails, milliseconds: performance.now() - began }
}

async function deliver({ portico: { deliveryWorker } }: Service): Promise<void> {
  deliveryWorker.wake()
  await deliveryWorker.idle()
}

describe('a mail server that is down for minutes', () => {
  onBothEngines(
    (service) => {
      it('delays no request, and gets every mail once when it is up again', async () => {
        const usual = await create(service, 10)
        await deliver(service)
        await sink.down()
        const waiting: string[] = []
        for (let minute = 0; minute < 3; minute++) {
          const { emails, milliseconds } = await create(service, 10)
          assert.ok(milliseconds < 2 * usual.milliseconds + 1000, `took ${milliseconds} ms, not ${usual.milliseconds}`)
          waiting.push(...emails)
          await service.advanceTime({ minutes: 1 })
          await deliver(service)
        }
        assert.deepEqual(
          waiting.filter((email) => sink.mailsTo(email).length > 0),
          [],
        )

        await sink.up()
        // A mail with four failed attempts is in a backoff of five minutes by now. The codes are valid for ten.
        for (let half = 0; half < 11; half++) {
          await service.advanceTime({ seconds: 30 })
          await deliver(service)
        }
        for (const email of [...usual.emails, ...waiting]) assert.equal(sink.mailsTo(email).length, 1, email)
        const email = waiting.at(-1) ?? ''
        const verification = { email, verificationCode: codeIn(sink, email) }
        assertSucceeded(await post(service, '/api/email-verification', verification))
      })
    },
    { SMTP_URL: sink.url },
  )
})
