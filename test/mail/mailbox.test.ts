import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PAGE_CSP } from '../../src/http/headers.ts'
import type { StoredMail } from '../../src/mail/mailbox.ts'
import {
  assertRefused,
  assertSucceeded,
  call,
  del,
  get,
  newEmail,
  PASSWORD,
  post,
  registration,
  signUp,
} from '../support/api.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const NAME = '<script>alert(1)</script>"&\''
const ESCAPED = '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;&#39;'

async function fetchMails(service: Service, query = ''): Promise<StoredMail[]> {
  const response = await get(service, `/dev/mailbox${query}`, { headers: { accept: 'application/json' } })
  assert.equal(response.status, 200)
  return response.body.mails
}

async function createAccount(service: Service, overrides: Record<string, unknown> = {}): Promise<string> {
  const body = registration(overrides)
  assertSucceeded(await post(service, '/api/create-account', body), 201)
  return body.email
}

/** A mail that greets its recipient by a hostile name. */
async function mailNaming({ portico: { database, outbox, messages, deliveryWorker } }: Service): Promise<string> {
  const email = newEmail()
  await database.transaction((tx) => outbox.enqueue(tx, email, messages.accountDeleted(NAME)))
  await deliveryWorker.idle()
  return email
}

describe('the development mailbox', () => {
  onBothEngines((service) => {
    it('has a mail as soon as the request that caused it has its response', async () => {
      const email = await createAccount(service)
      const mails = await fetchMails(service, `?to=${email}`)
      assert.equal(mails.length, 1)
      const [mail] = mails as [StoredMail]
      assert.deepEqual(Object.keys(mail).sort(), ['date', 'html', 'id', 'subject', 'text', 'to'])
      assert.equal(mail.to, email)
      assert.equal(mail.subject, 'Verify your e-mail address - Portico')
      const verificationCode = /^ {4}(\d{6})$/m.exec(mail.text)?.[1]
      assertSucceeded(await post(service, '/api/email-verification', { email, verificationCode }))
    })

    it('lists the newest mail first, and with ?to= those of one address in any spelling', async () => {
      const [one, two] = [await createAccount(service), await createAccount(service)]
      await service.portico.deliveryWorker.idle()
      assertSucceeded(await post(service, '/api/forgot-password', { email: one }))
      const all = await fetchMails(service)
      assert.deepEqual(
        all.slice(0, 3).map(({ to }) => to),
        [one, two, one],
      )
      const ofOne = await fetchMails(service, `?to=${one.toUpperCase()}`)
      assert.deepEqual(
        ofOne.map(({ subject }) => subject),
        ['Reset your password - Portico', 'Verify your e-mail address - Portico'],
      )
      assert.deepEqual(await fetchMails(service, `?to=${newEmail()}`), [])
    })

    it('shows an HTML page', async () => {
      const email = await createAccount(service)
      await createAccount(service)
      for (const headers of [{}, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }]) {
        const response = await get(service, `/dev/mailbox?to=${email}`, { headers })
        assert.equal(response.status, 200)
        assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
        assert.equal(response.headers.get('vary'), 'Accept')
        assert.equal(response.headers.get('cache-control'), 'no-store')
        assert.match(response.body, /^<!doctype html>/)
        assert.equal(response.body.split('<article class="card">').length, 2)
        assert.ok(response.body.includes('Verify your e-mail address - Portico'))
        assert.match(response.body, /<a class="name" href="\/">/)
      }
    })

    it('escapes names and the query', async () => {
      const email = await mailNaming(service)
      const page = await get(service, `/dev/mailbox?to=${email}`)
      assert.ok(page.body.includes(`Hello ${ESCAPED},`))
      const asked = await get(service, `/dev/mailbox?to=${encodeURIComponent(NAME)}`)
      assert.ok(asked.body.includes(`<b>${ESCAPED}</b>`))
      for (const { body } of [page, asked]) assert.ok(!body.includes('<script'))
    })

    it('shows the URLs in a mail as links', async () => {
      const email = await createAccount(service)
      const [mail] = (await fetchMails(service, `?to=${email}`)) as [StoredMail]
      const address = /^Verify this address: (http\S+)$/m.exec(mail.text)?.[1] ?? ''
      assert.match(address, /^http:\/\/localhost:3000\/verify-email\?token=[0-9a-f]{32}$/)
      const { body } = await get(service, `/dev/mailbox?to=${email}`)
      assert.ok(body.includes(`: <a href="${address}" rel="noopener noreferrer">${address}</a>\n`), body)
    })

    it('has the policy of every page, and needs no other', async () => {
      const { body, headers } = await get(service, '/dev/mailbox')
      assert.equal(headers.get('content-security-policy'), PAGE_CSP)
      assert.ok(!/<style| style=| on[a-z]+=/.test(body), 'the page needs unsafe-inline')
    })

    it('shows one mail as its reader would see it, sandboxed', async () => {
      const email = await mailNaming(service)
      const [mail] = (await fetchMails(service, `?to=${email}`)) as [StoredMail]
      const response = await get(service, `/dev/mailbox/${mail.id}`)
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
      assert.match(
        response.headers.get('content-security-policy') ?? '',
        /^sandbox; default-src 'none';.* frame-ancestors 'none'$/,
      )
      assert.equal(response.headers.get('x-frame-options'), 'DENY')
      assert.equal(response.body, mail.html)
      assert.ok(response.body.includes(`Hello ${ESCAPED},`) && !response.body.includes('<script'))
    })

    for (const id of ['nothing', '..%2f..%2fportico.db', '%00']) {
      it(`has no mail named ${id}`, async () => {
        assert.equal((await get(service, `/dev/mailbox/${id}`)).status, 404)
      })
    }

    it('accepts a repeated query parameter', async () => {
      for (const accept of ['text/html', 'application/json']) {
        const response = await get(service, '/dev/mailbox?to=a@example.com&to=b@example.com', { headers: { accept } })
        assert.ok(response.status === 200 || response.status === 400, `responded with ${response.status}`)
      }
    })

    it('can only be read', async () => {
      for (const method of ['POST', 'DELETE']) {
        const response = await call(service, method, '/dev/mailbox')
        assertRefused(response, 405)
        assert.match(response.headers.get('allow') ?? '', /GET/)
      }
    })

    it('keeps the notice of a deletion', async () => {
      const person = await signUp(service)
      assertSucceeded(await del(service, '/api/delete-user', { password: PASSWORD }, { as: person }))
      const [last] = await fetchMails(service, `?to=${person.email}`)
      assert.equal(last?.subject, 'Your account was deleted - Portico')
    })
  })
})

const withoutMailbox: [string, Record<string, string>][] = [
  ['in production', { NODE_ENV: 'production', SMTP_URL: 'smtp://127.0.0.1:9' }],
  ['when mail goes by SMTP', { SMTP_URL: 'smtp://127.0.0.1:9' }],
]
for (const [when, settings] of withoutMailbox) {
  describe(`the development mailbox ${when}`, () => {
    onBothEngines((service) => {
      it('does not exist', async () => {
        assertSucceeded(await post(service, '/api/create-account', registration()), 201)
        for (const path of ['/dev/mailbox', '/dev/mailbox?to=a@example.com', '/dev/mailbox/any', '/dev']) {
          for (const accept of ['text/html', 'application/json']) {
            assert.equal((await get(service, path, { headers: { accept } })).status, 404)
          }
        }
        assert.equal(service.portico.mailbox, undefined)
      })
    }, settings)
  })
}
