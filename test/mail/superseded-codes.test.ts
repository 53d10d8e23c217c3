import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { reset, someone, verify } from '../support/accounts.ts'
import { assertSucceeded, post, registration } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { codeIn, headerOf, startSmtpSink } from '../support/mail.ts'
import { onBothEngines } from '../support/service.ts'

const sink = await startSmtpSink()
const suite = suiteCleanUp()
cleanUp(suite, () => sink.down())

describe('codes that were requested while the mail server was down', () => {
  onBothEngines(
    (service) => {
      beforeEach(() => sink.down())

      async function recover(): Promise<void> {
        const { deliveryWorker } = service.portico
        await deliveryWorker.idle()
        await sink.up()
        await service.advanceTime({ seconds: 30 })
        deliveryWorker.wake()
        await deliveryWorker.idle()
      }

      const subjects = (email: string) => sink.mailsTo(email).map(({ headers }) => headerOf(headers, 'subject'))

      it('of verification: only the last one is sent, and it works', async () => {
        const body = registration()
        const { email } = body
        assertSucceeded(await post(service, '/api/create-account', body), 201)
        await service.portico.deliveryWorker.idle()
        for (let again = 0; again < 2; again++) {
          assertSucceeded(await post(service, '/api/email-verification/resend', { email }))
        }
        await recover()
        assert.deepEqual(subjects(email), ['Verify your e-mail address - Portico'])
        assertSucceeded(await verify(service, email, codeIn(sink, email)))
      })

      it('of reset: only the last one is sent, it works, and no other mail is delayed', async () => {
        const { email } = await someone(service)
        const { database, outbox, messages } = service.portico
        await database.transaction((tx) =>
          outbox.enqueue(tx, email, messages.verificationCode({ digits: '000000', token: '0'.repeat(32) })),
        )
        for (let again = 0; again < 3; again++) assertSucceeded(await post(service, '/api/forgot-password', { email }))
        await recover()
        assert.deepEqual(subjects(email).sort(), [
          'Reset your password - Portico',
          'Verify your e-mail address - Portico',
        ])
        const mail = sink
          .mailsTo(email)
          .find(({ headers }) => headerOf(headers, 'subject') === 'Reset your password - Portico')
        const code = /^ {4}(\d{6})$/m.exec(mail?.text ?? '')?.[1] ?? ''
        assertSucceeded(await reset(service, email, code))
      })
    },
    { SMTP_URL: sink.url },
  )
})
