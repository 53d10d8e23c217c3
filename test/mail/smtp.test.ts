import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { del, newEmail, PASSWORD, post, registration } from '../support/api.ts'
import { assertRefused, assertSucceeded } from '../support/envelope.ts'
import { onBothEngines } from '../support/on-both-engines.ts'
import { headerOf, type ReceivedMail } from '../support/received-mail.ts'
import type { Service } from '../support/service.ts'
import { codeIn, startSmtpSink } from '../support/smtp-sink.ts'

const FROM = 'Portico of Grace <door@portico.example>'
const sink = await startSmtpSink()
after(() => sink.down())

const settings = { SMTP_URL: sink.url, MAIL_FROM: FROM, BASE_URL: 'https://portico.example' }

/** The mail that one request causes: exactly one, whoever it names. */
async function mailOf(service: Service, email: string, request: () => Promise<unknown>): Promise<ReceivedMail> {
  await service.portico.courier.idle()
  const before = sink.mails.length
  await request()
  await service.portico.courier.idle()
  const mails = sink.mails.slice(before)
  assert.equal(mails.length, 1)
  const [mail] = mails as [ReceivedMail]
  assert.deepEqual(mail.recipients, [email])
  return mail
}

describe('mail by SMTP', () => {
  onBothEngines((service) => {
    it('carries a whole journey, from the first code to the last notice', async () => {
      const email = newEmail()
      const idle = () => service.portico.courier.idle()
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
        ['Verify your e-mail address', 'Reset your password', 'Your password was reset', 'Your account was deleted'],
      )
      const left = await service.portico.database.query.selectFrom('outbox').select('id').execute()
      assert.deepEqual(left, [])
    })

    it('goes to one recipient, from MAIL_FROM, with the code in the text and in the HTML', async () => {
      const email = newEmail()
      const mail = await mailOf(service, email, () => post(service, '/api/create-account', registration({ email })))
      assert.equal(mail.sender, 'door@portico.example')
      assert.equal(headerOf(mail.headers, 'from'), FROM)
      assert.equal(headerOf(mail.headers, 'to'), email)
      assert.equal(headerOf(mail.headers, 'subject'), 'Verify your e-mail address')
      const code = codeIn(sink, email)
      assert.ok(mail.html.includes(`>${code}</p>`), mail.html)
      assert.ok(mail.text.includes('portico.example') && mail.html.includes('portico.example'))
      assertSucceeded(await post(service, '/api/email-verification', { email, verificationCode: code }))
    })

    it('has the headers of a mail and no others', async () => {
      const email = newEmail()
      const { headers } = await mailOf(service, email, () =>
        post(service, '/api/create-account', registration({ email, firstName: 'Grace\u00a0Bcc: b@example.com' })),
      )
      assert.deepEqual(headers.map(([name]) => name).sort(), [
        'content-type',
        'date',
        'from',
        'message-id',
        'mime-version',
        'subject',
        'to',
      ])
    })

    const hostile: [name: string, inHtml: string][] = [
      ['Grace, Bob <b@example.com>', 'Hello Grace, Bob &lt;b@example.com&gt;,'],
      ['<b>x</b>', 'Hello &lt;b&gt;x&lt;/b&gt;,'],
      ['"><img src=x onerror=1>', 'Hello &quot;&gt;&lt;img src=x onerror=1&gt;,'],
      ['=?utf-8?q?Bcc:_b=40example.com?=', 'Hello =?utf-8?q?Bcc:_b=40example.com?=,'],
      ['Żółć 雪', 'Hello Żółć 雪,'],
    ]
    for (const [firstName, inHtml] of hostile) {
      it(`keeps the name ${firstName} a name`, async () => {
        const email = newEmail()
        const mail = await mailOf(service, email, () =>
          post(service, '/api/create-account', registration({ email, firstName, lastName: firstName })),
        )
        assert.ok(mail.text.startsWith(`Hello ${firstName},\n`), mail.text)
        assert.ok(mail.html.includes(`>${inHtml}</p>`), mail.html)
        assert.equal(headerOf(mail.headers, 'to'), email)
        assert.equal(headerOf(mail.headers, 'subject'), 'Verify your e-mail address')
      })
    }

    it('tells the owner of an address only if what the request says of itself is one', async () => {
      const email = newEmail()
      await post(service, '/api/create-account', registration({ email }))
      await service.portico.courier.idle()
      await post(service, '/api/email-verification', { email, verificationCode: codeIn(sink, email) })
      const logInFrom = (program: string, address: string) =>
        mailOf(service, email, () => {
          const headers = { 'user-agent': `${program}/1.0`, 'x-forwarded-for': address }
          return post(service, '/api/log-in', { email, password: PASSWORD }, { headers })
        })
      const honest = await logInFrom('Honest', '203.0.113.7, 10.0.0.1')
      assert.equal(headerOf(honest.headers, 'subject'), 'New sign-in to your account')
      assert.ok(honest.html.includes('from Honest 1.0 (address 203.0.113.7)'), honest.html)
      const hostile = await logInFrom('Hostile', 'Visit https://evil.example <script>alert(1)</script>')
      assert.ok(hostile.html.includes('from Hostile 1.0.'), hostile.html)
      assert.doesNotMatch(hostile.html + hostile.text, /evil\.example|alert/)
    })

    const addresses = ['a@example.com, b@example.com', 'a@example.com\r\nBcc: b@example.com', 'B <b@example.com>']
    for (const email of addresses) {
      it(`sends nothing to ${JSON.stringify(email)}`, async () => {
        await service.portico.courier.idle()
        const before = sink.offers
        assertRefused(await post(service, '/api/create-account', registration({ email })), 400, 'Validation failed')
        assertRefused(await post(service, '/api/forgot-password', { email }), 400, 'Validation failed')
        await service.portico.courier.idle()
        assert.equal(sink.offers, before)
      })
    }

    it('never takes the address of one mail for a list', async () => {
      const { database, outbox, messages, courier } = service.portico
      const [one, two] = [newEmail(), newEmail()]
      await database.transaction((tx) => outbox.post(tx, `${one}, ${two}`, messages.accountDeleted('Grace')))
      await courier.idle()
      assert.deepEqual([...sink.mailsTo(one), ...sink.mailsTo(two)], [])
      await database.query.deleteFrom('outbox').execute()
    })
  }, settings)
})
