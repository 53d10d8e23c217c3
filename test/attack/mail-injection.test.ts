import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused, newEmail, PASSWORD, post, registration } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { codeIn, headerOf, MAIL_HEADERS, startSmtpSink } from '../support/mail.ts'
import { onBothEngines } from '../support/service.ts'

const FROM = 'Portico of Grace <door@portico.example>'
const sink = await startSmtpSink()
const suite = suiteCleanUp()
cleanUp(suite, () => sink.down())

const settings = { SMTP_URL: sink.url, MAIL_FROM: FROM, BASE_URL: 'https://portico.example' }

describe('a mail with input of an attacker', () => {
  onBothEngines((service) => {
    it('has the headers of a mail and no others', async () => {
      const email = newEmail()
      const { headers } = await sink.mailOf(service, email, () =>
        post(service, '/api/create-account', registration({ email, firstName: 'Grace\u00a0Bcc: b@example.com' })),
      )
      assert.deepEqual(headers.map(([name]) => name).sort(), MAIL_HEADERS)
    })

    /** Registers, and returns the mail that the registration causes. */
    const register = (email: string, names: object, headers: Record<string, string> = {}) =>
      sink.mailOf(service, email, () =>
        post(service, '/api/create-account', registration({ email, ...names }), { headers }),
      )

    it('contains nothing of that input when the address is not verified', async () => {
      const email = newEmail()
      const names = { firstName: 'Visit evil.example', lastName: 'now evil.example' }
      const headers = {
        'user-agent': 'evil.example/1.0',
        'x-forwarded-for': '203.0.113.66',
        referer: 'http://evil.example/',
      }
      const mails = [
        await register(email, names, headers),
        await sink.mailOf(service, email, () =>
          post(service, '/api/email-verification/resend', { email }, { headers }),
        ),
        await sink.mailOf(service, email, () => post(service, '/api/forgot-password', { email }, { headers })),
      ]
      for (const mail of mails) {
        assert.ok(mail.text.startsWith('Hello,\n'), mail.text)
        assert.ok(mail.html.includes('>Hello,</p>'), mail.html)
        assert.doesNotMatch(JSON.stringify(mail), /evil|203\.0\.113/)
        assert.equal(headerOf(mail.headers, 'from'), FROM)
      }
    })

    const hostile: [name: string, inHtml: string][] = [
      ['Grace, Bob <b@example.com>', 'Hello Grace, Bob &lt;b@example.com&gt;,'],
      ['<b>x</b>', 'Hello &lt;b&gt;x&lt;/b&gt;,'],
      ['"><img src=x onerror=1>', 'Hello &quot;&gt;&lt;img src=x onerror=1&gt;,'],
      ['=?utf-8?q?Bcc:_b=40example.com?=', 'Hello =?utf-8?q?Bcc:_b=40example.com?=,'],
      ['Żółć 雪', 'Hello Żółć 雪,'],
    ]
    for (const [firstName, inHtml] of hostile) {
      it(`contains the name ${firstName} as text only`, async () => {
        const email = newEmail()
        await register(email, { firstName, lastName: firstName })
        await post(service, '/api/email-verification', { email, verificationCode: codeIn(sink, email) })
        const mail = await sink.mailOf(service, email, () => post(service, '/api/forgot-password', { email }))
        assert.ok(mail.text.startsWith(`Hello ${firstName},\n`), mail.text)
        assert.ok(mail.html.includes(`>${inHtml}</p>`), mail.html)
        assert.equal(headerOf(mail.headers, 'to'), email)
        assert.equal(headerOf(mail.headers, 'subject'), 'Reset your password - Portico')
      })
    }

    it('contains neither the User-Agent nor the address that a request claims', async () => {
      const email = newEmail()
      await post(service, '/api/create-account', registration({ email }))
      await service.portico.deliveryWorker.idle()
      await post(service, '/api/email-verification', { email, verificationCode: codeIn(sink, email) })
      const mail = await sink.mailOf(service, email, () => {
        const headers = {
          'user-agent': 'Hostile/1.0',
          'x-forwarded-for': 'Visit https://evil.example <script>alert(1)',
        }
        return post(service, '/api/log-in', { email, password: PASSWORD }, { headers })
      })
      assert.equal(headerOf(mail.headers, 'subject'), 'New sign-in to your account - Portico')
      assert.match(mail.html, />Device<\/th><td [^>]*>Unknown program<\/td>/)
      assert.match(mail.html, />IP address<\/th><td [^>]*>127\.0\.0\.1<\/td>/)
      assert.doesNotMatch(mail.html + mail.text, /Hostile|evil\.example|alert/)
    })

    const addresses = ['a@example.com, b@example.com', 'a@example.com\r\nBcc: b@example.com', 'B <b@example.com>']
    for (const email of addresses) {
      it(`is not sent to ${JSON.stringify(email)}`, async () => {
        await service.portico.deliveryWorker.idle()
        const before = sink.offers
        assertRefused(await post(service, '/api/create-account', registration({ email })), 400, 'Validation failed')
        assertRefused(await post(service, '/api/forgot-password', { email }), 400, 'Validation failed')
        await service.portico.deliveryWorker.idle()
        assert.equal(sink.offers, before)
      })
    }

    it('never has its address parsed as a list', async () => {
      const { database, outbox, messages, deliveryWorker } = service.portico
      const [one, two] = [newEmail(), newEmail()]
      await database.transaction((tx) => outbox.enqueue(tx, `${one}, ${two}`, messages.accountDeleted('Grace')))
      await deliveryWorker.idle()
      assert.deepEqual([...sink.mailsTo(one), ...sink.mailsTo(two)], [])
      await database.query.deleteFrom('outbox').execute()
    })
  }, settings)
})
