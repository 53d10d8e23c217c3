import { checkServerIdentity } from 'node:tls'
import { smtpTransport } from '../mail/transport.ts'
import { observeExpiry } from './certificate.ts'
import { type Check, fault, ok, skipped } from './finding.ts'

const REMEDIES: Record<string, string> = {
  EDNS: 'Correct the host in SMTP_URL, or the DNS of this machine.',
  EAUTH: 'Correct user name and password in SMTP_URL. Special characters in them are percent-encoded.',
  ETLS: 'Use the name that the certificate is for. For an authority of your own, set NODE_EXTRA_CA_CERTS.',
}
const CONNECTION_REMEDY = 'Is the mail server up, is the port right, and does a firewall or your provider block it?'

/** Connects, starts TLS and logs in. Sends a mail only if an address was given. */
export const checkMailServer: Check = async ({ config: { mail, baseUrl }, sendTo, redact }) => {
  const { smtpUrl, requireTls, from } = mail
  if (!smtpUrl) return [skipped('SMTP_URL is not set: mail stays in the development mailbox')]
  let expiresAt: Date | undefined
  const sender = { name: from.name ?? 'Portico', address: from.address }
  const transport = smtpTransport(smtpUrl, () => sender, {
    requireTls,
    checkServerIdentity(host, certificate) {
      expiresAt = new Date(certificate.valid_to)
      return checkServerIdentity(host, certificate)
    },
  })
  const { host, username } = new URL(smtpUrl)
  try {
    await transport.check?.()
    if (sendTo) await transport.send(testMail(sendTo, baseUrl))
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    // Messages about the setting are Portico's own text (`mail/smtp-failure.ts`).
    const shown = message.startsWith('SMTP_URL: ') ? message : redact(message)
    return [fault(shown, REMEDIES[code] ?? CONNECTION_REMEDY)]
  } finally {
    transport.close()
  }
  const soon = observeExpiry(host, expiresAt)
  if (soon.length > 0) return soon
  const facts = [`${host} responds`, expiresAt && 'TLS is verified', username && 'the log-in is accepted']
  return [ok([...facts, sendTo && `a test mail to ${sendTo} was accepted`].filter(Boolean).join(', '))]
}

function testMail(to: string, baseUrl: string) {
  const text = `This mail was sent by "portico doctor" for ${baseUrl}. Mail from this site reaches you.\n`
  return { to, subject: 'Test of the mail settings', text, html: `<p>${text.replaceAll('"', '&quot;')}</p>` }
}
