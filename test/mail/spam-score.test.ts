import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sampleMessages } from '../../src/mail/sample-messages.ts'
import { INSTALL_LIMIT_MS } from '../support/browser.ts'
import { cleanUp } from '../support/clean-up.ts'
import { headerOf, startSmtpSink } from '../support/mail.ts'
import { startSite } from '../support/site.ts'
import { spamHits } from './spamassassin.ts'

// Every mail with an HTML part matches it. Its score of 0.001 only makes it appear in reports.
const INFORMATIVE = 'HTML_MESSAGE'

describe('SpamAssassin', () => {
  it('finds nothing in any mail, and finds text that is hidden', { timeout: INSTALL_LIMIT_MS }, async (t) => {
    const sink = await startSmtpSink()
    cleanUp(t, () => sink.down())
    const site = await startSite({ 'site.yaml': "title: Ada's Garden\n" }, { SMTP_URL: sink.url })
    cleanUp(t, () => site.close())
    const { database, outbox, messages, deliveryWorker } = site.portico
    const samples = sampleMessages(messages)
    await database.transaction(async (tx) => {
      for (const { message } of samples) await outbox.enqueue(tx, 'ada@example.com', message)
    })
    await deliveryWorker.idle()
    assert.equal(sink.mails.length, samples.length)

    const [mail] = sink.mails
    assert.ok(mail)
    const hidden = {
      ...mail,
      raw: mail.raw.replace(/^Message-ID: </m, '$&hidden-').replace('class=3D"preview"', 'style=3D"display:none"'),
    }
    const hits = await spamHits(t, [...sink.mails, hidden])
    const suspicions = hits.map((each) => each.filter(({ rule, score }) => score > 0 && rule !== INFORMATIVE))
    assert.ok(suspicions.pop()?.some(({ rule }) => rule === 'STY_INVIS_DIRECT'))
    assert.deepEqual(
      suspicions.flatMap((each, index) =>
        each.map(({ rule, score }) => `${headerOf(sink.mails[index]?.headers ?? [], 'subject')}: ${rule} ${score}`),
      ),
      [],
    )
    assert.ok(
      hits.every((each) => each.some(({ rule }) => rule === INFORMATIVE)),
      'SpamAssassin has not read the HTML part',
    )
  })
})
