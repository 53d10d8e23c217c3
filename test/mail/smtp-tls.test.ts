import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import tls from 'node:tls'
import { assertSucceeded, newEmail, post, registration } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { CERTIFICATE, KEY, startSmtpSink } from '../support/mail.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const file = suiteCleanUp()
const plain = await startSmtpSink()
const encrypted = await startSmtpSink({ key: KEY, cert: CERTIFICATE })
cleanUp(file, () => plain.down())
cleanUp(file, () => encrypted.down())

// The certificate is for the name localhost. On loopback TLS is not required unless SMTP_TLS sets it.
const urlOf = ({ url }: { url: string }) => url.replace('127.0.0.1', 'localhost')

/** The row of a code that could not be sent, after one attempt. */
async function keptCode(service: Service) {
  const email = newEmail()
  assertSucceeded(await post(service, '/api/create-account', registration({ email })), 201)
  await service.portico.deliveryWorker.idle()
  return service.portico.database.query
    .selectFrom('outbox')
    .select(['attempts', 'failed_at', 'last_error'])
    .where('recipient', '=', email)
    .executeTakeFirstOrThrow()
}

describe('a mail server without TLS', () => {
  onBothEngines(
    (service) => {
      it('gets no code when TLS is required: the mail is kept for another attempt, with the reason', async () => {
        const { attempts, failed_at, last_error } = await keptCode(service)
        assert.equal(attempts, 1)
        assert.equal(failed_at, null)
        assert.match(
          last_error ?? '',
          /^Error: SMTP_URL: localhost:\d+ offers no TLS that can be verified \(SMTP_TLS=off sends mail in plain text\)/,
        )
        assert.deepEqual([plain.mails.length, plain.offers], [0, 0])
      })
    },
    { SMTP_URL: urlOf(plain), SMTP_TLS: 'on' },
  )
})

describe('a mail server with an untrusted certificate', () => {
  onBothEngines(
    (service) => {
      it('gets no code', async () => {
        const { failed_at, last_error } = await keptCode(service)
        assert.equal(failed_at, null)
        assert.match(last_error ?? '', /self-signed certificate/)
        assert.deepEqual([encrypted.mails.length, encrypted.offers], [0, 0])
      })
    },
    { SMTP_URL: urlOf(encrypted), SMTP_TLS: 'on' },
  )
})

describe('a mail server with a trusted certificate', () => {
  const trusted = tls.getCACertificates('default')
  before(() => tls.setDefaultCACertificates([...trusted, CERTIFICATE]))
  const suite = suiteCleanUp()
  cleanUp(suite, () => tls.setDefaultCACertificates(trusted))

  onBothEngines(
    (service) => {
      it('gets mail over TLS', async () => {
        const email = newEmail()
        const mail = await encrypted.mailOf(service, email, () =>
          post(service, '/api/create-account', registration({ email })),
        )
        assert.equal(mail.isEncrypted, true)
      })
    },
    { SMTP_URL: urlOf(encrypted), SMTP_TLS: 'on' },
  )
})

describe('a mail server on this machine', () => {
  onBothEngines(
    (service) => {
      it('gets mail in plain text, whatever its certificate', async () => {
        const email = newEmail()
        const mail = await encrypted.mailOf(service, email, () =>
          post(service, '/api/create-account', registration({ email })),
        )
        assert.equal(mail.isEncrypted, false)
      })
    },
    { SMTP_URL: urlOf(encrypted) },
  )
})
