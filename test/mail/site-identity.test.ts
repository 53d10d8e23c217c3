import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { accentColours, DEFAULT_ACCENT } from '../../src/lib/accent.ts'
import { createSiteIdentity } from '../../src/mail/site-identity.ts'
import { newEmail, post, registration } from '../support/api.ts'
import { cleanUp, temporaryFolder } from '../support/clean-up.ts'
import { headerOf, MAIL_HEADERS, type ReceivedMail, startSmtpSink } from '../support/mail.ts'
import { ENGINES, type EngineName, startService } from '../support/service.ts'

const ACCENT = '#8a2be2'

/** The mail that a registration causes at a site with this title. */
async function mailOf(
  t: TestContext,
  engine: EngineName,
  title: string,
  settings: Record<string, string> = {},
): Promise<ReceivedMail> {
  const sink = await startSmtpSink()
  cleanUp(t, () => sink.down())
  const CONTENT_DIR = join(await temporaryFolder(t), 'content')
  await mkdir(CONTENT_DIR)
  await writeFile(join(CONTENT_DIR, 'site.yaml'), `title: ${JSON.stringify(title)}\naccent: '${ACCENT}'\n`)
  const BASE_URL = 'https://ada.example'
  const service = await startService(engine, { CONTENT_DIR, BASE_URL, SMTP_URL: sink.url, ...settings })
  cleanUp(t, () => service.close())
  const email = newEmail()
  const mail = await sink.mailOf(service, email, () => post(service, '/api/create-account', registration({ email })))
  assert.deepEqual(mail.headers.map(([name]) => name).sort(), MAIL_HEADERS)
  assert.equal(mail.sender, 'no-reply@ada.example')
  return mail
}

/** A header as its reader sees it (RFC 2047, both encodings). */
function decoded(value: string): string {
  const words = value.replace(/\?=\s+=\?/g, '?==?')
  return words.replace(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_, encoding: string, text: string) =>
    encoding.toUpperCase() === 'B'
      ? Buffer.from(text, 'base64').toString()
      : decodeURIComponent(text.replace(/_/g, ' ').replace(/%/g, '%25').replace(/=/g, '%')),
  )
}

for (const engine of ENGINES) {
  describe(`the title of the site in mails, on ${engine}`, () => {
    it('is in the subject, in the name of the sender and, with the host, in the text', async (t) => {
      const { headers, text, html } = await mailOf(t, engine, "Ada's Garden")
      assert.equal(headerOf(headers, 'subject'), "Verify your e-mail address - Ada's Garden")
      assert.equal(headerOf(headers, 'from'), `"Ada's Garden" <no-reply@ada.example>`)
      const unwrapped = text.replaceAll('\n', ' ')
      assert.ok(unwrapped.includes("Welcome to Ada's Garden (ada.example)."), text)
      assert.ok(unwrapped.includes("your address was used to sign up at Ada's Garden (ada.example)."), text)
      assert.ok(text.trimEnd().endsWith("\nAda's Garden\nhttps://ada.example"), text)
      assert.ok(html.includes('Ada&#39;s Garden (ada.example)'), html)
    })

    it('comes with the accent of the site, light and dark', async (t) => {
      const { html } = await mailOf(t, engine, "Ada's Garden")
      const { light, dark } = accentColours(ACCENT)
      for (const { accent } of [light, dark]) assert.ok(html.includes(accent), html)
    })

    it('is encoded when it is not ASCII, and the name in MAIL_FROM is kept', async (t) => {
      const settings = { MAIL_FROM: '"Żółć, Inc." <no-reply@ada.example>' }
      const { headers } = await mailOf(t, engine, '雪の庭 Żółć', settings)
      for (const [, value] of headers) assert.match(value, /^[\x20-\x7e]*$/)
      assert.equal(decoded(headerOf(headers, 'subject')), 'Verify your e-mail address - 雪の庭 Żółć')
      assert.equal(decoded(headerOf(headers, 'from')).replaceAll('"', ''), 'Żółć, Inc. <no-reply@ada.example>')
    })

    it('adds no header, no other sender and no markup, whatever its characters', async (t) => {
      const title = 'A\r\nBcc: b@example.com\r\n\r\n<script>, "c" <c@example.com>'
      const { headers, html, recipients } = await mailOf(t, engine, title)
      assert.equal(recipients.length, 1)
      const from = decoded(headerOf(headers, 'from'))
      assert.ok(from.endsWith(' <no-reply@ada.example>'), from)
      assert.ok(!html.includes('<script'), html)
    })

    it('is truncated when it is long', async (t) => {
      const { headers, text } = await mailOf(t, engine, '雪'.repeat(20_000))
      assert.equal(decoded(headerOf(headers, 'subject')), `Verify your e-mail address - ${'雪'.repeat(59)}…`)
      assert.ok(text.length < 1500)
    })
  })
}

describe('the identity of the site in mails', () => {
  const accent = '#aa3355'

  it('is the host in the default colour while the content folder has not been read', () => {
    const site = createSiteIdentity('https://ada.example:8443/under')
    assert.deepEqual([site.title(), site.fullName()], ['ada.example:8443', 'ada.example:8443'])
    assert.equal(site.accent(), DEFAULT_ACCENT)
    for (const title of ['', '  ', '\u202e\n']) {
      site.setSource(() => ({ title, accent }))
      assert.equal(site.fullName(), 'ada.example:8443')
    }
  })

  it('follows a change of the title and of the accent', () => {
    const site = createSiteIdentity('https://ada.example')
    let settings = { title: 'One', accent: '#0055aa' }
    site.setSource(() => settings)
    assert.deepEqual([site.fullName(), site.accent()], ['One (ada.example)', '#0055aa'])
    settings = { title: 'Two\u2028lines \u202eand \ud800more', accent }
    assert.deepEqual([site.title(), site.accent()], ['Two lines  and \ufffdmore', accent])
  })
})
