import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused, assertSucceeded, del, newEmail, PASSWORD, post, registration } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { codeIn, headerOf, startSmtpSink } from '../support/mail.ts'
import { onBothEngines } from '../support/service.ts'

const FROM = 'Portico of Grace <door@portico.example>'
const sink = await startSmtpSink()
const suite = suiteCleanUp()
cleanUp(suite, () => sink.down())

const settings = { SMTP_URL: sink.url, MAIL_FROM: FROM, BASE_URL: 'https://portico.example' }

describe('mail by SMTP', () => {
  onBothEngines((service) => {
    it('delivers the mails of a whole account, from the first code to the last notice', async () => {
      const email = newEmail()
      const idle = () => service.portico.deliveryWorker.idle()
      assertSucceeded(await post(service, '/api/create-account', registration({ email })), 201)
      await idle()
      const verification = { email, verificationCode: codeIn(sink, email) }
      assertSucceeded(await post(service, '/api/email-verification', verification))
      assertSucceeded(await post(service, '/api/log-in', { email, password: PASSWORD }))

      assertSucceeded(await post(service, '/api/forgot-password', { email }))
      await idle()
      const password = 'Another-Horse-8'
      const reset = { email, resetToken: codeIn(sink, email), password, confirmPassword: password }
      assertSucceeded(await post(service, '/api/reset-password', reset))
      await idle()
      assertRefused(await post(service, '/api/log-in', { email, password: PASSWORD }), 401)

      const loggedIn = await post(service, '/api/log-in', { email, password })
      assertSucceeded(loggedIn)
      const as = { accessToken: loggedIn.body.data.accessToken, sessionId: loggedIn.body.data.session.sessionId }
      assertSucceeded(await del(service, '/api/delete-user', { password }, { as }))
      await idle()

      assert.deepEqual(
        sink.mailsTo(email).map(({ headers }) => headerOf(headers, 'subject')),
        [
          'Verify your e-mail address - Portico',
          'Reset your password - Portico',
          'Your password was reset - Portico',
          'Your account was deleted - Portico',
        ],
      )
      const left = await service.portico.database.query.selectFrom('outbox').select('id').execute()
      assert.deepEqual(left, [])
    })

    it('goes to one recipient, from MAIL_FROM, with the code in the text and in the HTML', async () => {
      const email = newEmail()
      const mail = await sink.mailOf(service, email, () =>
        post(service, '/api/create-account', registration({ email })),
      )
      assert.equal(mail.sender, 'door@portico.example')
      assert.equal(headerOf(mail.headers, 'from'), FROM)
      assert.equal(headerOf(mail.headers, 'to'), email)
      assert.equal(headerOf(mail.headers, 'subject'), 'Verify your e-mail address - Portico')
      const code = codeIn(sink, email)
      assert.ok(mail.html.includes(`>${code}</p>`), mail.html)
      assert.ok(mail.text.includes('portico.example') && mail.html.includes('portico.example'))
      assertSucceeded(await post(service, '/api/email-verification', { email, verificationCode: code }))
    })
  }, settings)
})
