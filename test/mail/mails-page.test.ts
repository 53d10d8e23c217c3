import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { sampleMessages } from '../../src/mail/sample-messages.ts'
import { get } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { type Service, startService } from '../support/service.ts'
import { startSite } from '../support/site.ts'

describe('/dev/mails', () => {
  const service = {} as Service
  const suite = suiteCleanUp()
  before(async () => {
    Object.assign(service, await startService('sqlite'))
    cleanUp(suite, () => service.close())
  })

  it('shows every mail light, dark and as plain text', async () => {
    const { status, body, headers } = await get(service, '/dev/mails')
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'no-store')
    const samples = sampleMessages(service.portico.messages)
    assert.deepEqual(new Set(samples.map(({ name }) => name)), new Set(Object.keys(service.portico.messages)))
    for (const { name, message } of samples) {
      for (const scheme of ['light', 'dark']) {
        const frame = `<iframe sandbox loading="lazy" src="/dev/mails/${name}?scheme=${scheme}" title="${message.subject}, ${scheme}">`
        assert.ok(body.includes(frame), frame)
      }
      assert.ok(body.includes(`<pre class="mail" tabindex="0">${message.text.slice(0, 20)}`), name)
    }
  })

  it('may frame documents of its own site only, and nothing else that other pages may not', async () => {
    const [mails, design] = await Promise.all(['/dev/mails', '/dev/design'].map((path) => get(service, path)))
    const policyOf = (response: typeof mails) => response?.headers.get('content-security-policy')
    assert.equal(policyOf(mails), `${policyOf(design)}; frame-src 'self'`)
    assert.equal(mails?.headers.get('x-frame-options'), 'DENY')
    assert.match(policyOf(mails) ?? '', /frame-ancestors 'none'/)
    assert.doesNotMatch(mails?.body, /<script|<style| style=/)
  })

  it('frames a mail that may use inline styles, is sandboxed and is framed by this site only', async () => {
    const { message } = sampleMessages(service.portico.messages).find(({ name }) => name === 'accountDeleted') ?? {}
    const { status, body, headers } = await get(service, '/dev/mails/accountDeleted')
    assert.equal(status, 200)
    assert.equal(body, message?.html)
    assert.equal(
      headers.get('content-security-policy'),
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    )
    assert.equal(headers.get('x-frame-options'), 'SAMEORIGIN')
  })

  it('shows a mail in one colour scheme', async () => {
    const [light, dark] = await Promise.all(
      ['light', 'dark'].map((scheme) => get(service, `/dev/mails/resetCode?scheme=${scheme}`)),
    )
    for (const [scheme, query, response] of [
      ['light', 'not all', light],
      ['dark', 'all', dark],
    ] as const) {
      assert.ok(response?.body.includes(`@media ${query} {`))
      assert.ok(response?.body.includes(`<meta name="color-scheme" content="${scheme}">`))
      assert.doesNotMatch(response?.body, /prefers-color-scheme|light dark/)
    }
  })

  for (const path of ['/dev/mails/unknown', '/dev/mails/toString', '/dev/mails/', '/dev/mails/resetCode/dark']) {
    it(`has nothing at ${path}`, async () => {
      assert.equal((await get(service, path)).status, 404)
    })
  }

  it('exists also when mail goes by SMTP, and not in production', async (t) => {
    const SMTP_URL = 'smtp://127.0.0.1:9'
    for (const [status, settings] of [
      [200, { SMTP_URL }],
      [404, { SMTP_URL, NODE_ENV: 'production' }],
    ] as const) {
      const site = await startSite({}, settings)
      cleanUp(t, () => site.close())
      for (const path of ['/dev/mails', '/dev/mails/resetCode']) assert.equal((await get(site, path)).status, status)
    }
  })
})
