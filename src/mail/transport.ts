import type { createTransport } from 'nodemailer'

export interface OutgoingMail {
  to: string
  subject: string
  text: string
  html: string
}

export interface Transport {
  send(mail: OutgoingMail): Promise<void>
  close(): void
}

/** How many mails may be given to a transport at once: it sends all of them, and lets none wait. */
export const MOST_AT_ONCE = 5

/**
 * Over SMTP, with a few connections kept open and no wait longer than half a minute. When TLS is required, a server without
 * STARTTLS or with a certificate that cannot be verified gets no mail.
 */
export function smtpTransport(url: string, from: string, { requireTls }: { requireTls: boolean }): Transport {
  let mailer: Promise<ReturnType<typeof createTransport>> | undefined

  /** Loaded with the first mail: nothing else of a start needs it, and it is large. */
  async function open() {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      url,
      requireTLS: requireTls,
      ignoreTLS: !requireTls,
      pool: true,
      maxConnections: MOST_AT_ONCE,
      connectionTimeout: 10_000,
      greetingTimeout: 10_000,
      socketTimeout: 30_000,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }

  return {
    async send({ to, ...mail }) {
      mailer ??= open()
      // As an object the address is taken whole; as a text it would be read as a list.
      await (await mailer).sendMail({ from, to: { name: '', address: to }, ...mail }).catch((error) => {
        throw failedTls(error) ? new Error(NO_TLS, { cause: error }) : error
      })
    },
    close: () => void mailer?.then((opened) => opened.close()),
  }
}

const NO_TLS =
  'the mail server offers no TLS that can be verified, so the mail was not sent (SMTP_TLS=off would send it in plain text)'

/** `EHLO failed …` is what Nodemailer says of a server that does not know EHLO, and so no STARTTLS (RFC 3207). */
function failedTls(error: unknown): boolean {
  return (
    error instanceof Error && (('code' in error && error.code === 'ETLS') || error.message.startsWith('EHLO failed'))
  )
}

/** The server has said that it will never take this mail (RFC 5321: 5yz), so trying again has no use. */
export function isPermanent(error: unknown): boolean {
  if (!(error instanceof Error) || !('responseCode' in error)) return false
  const refusedLogIn = 'code' in error && error.code === 'EAUTH'
  return Number(error.responseCode) >= 500 && !refusedLogIn
}
