import type { checkServerIdentity } from 'node:tls'
import type { createTransport } from 'nodemailer'
import { explainSmtpFailure } from './smtp-failure.ts'

export interface OutgoingMail {
  to: string
  subject: string
  text: string
  html: string
}

export interface Transport {
  send(mail: OutgoingMail): Promise<void>
  /** Rejects if the server cannot be reached or does not accept the log-in. Sends no mail. */
  check?(): Promise<void>
  close(): void
}

export interface Sender {
  name: string
  address: string
}

// Auto-responders must not reply to this mail (RFC 3834, section 5).
const HEADERS = { 'Auto-Submitted': 'auto-generated' }

/** The concurrency limit of a transport. Up to this number of mails are sent at once without queueing. */
export const MAX_CONNECTIONS = 5

interface SmtpOptions {
  requireTls: boolean
  /** Checks the name in the certificate of the server instead of Node. */
  checkServerIdentity?: typeof checkServerIdentity
}

/**
 * Sends mail over SMTP with a connection pool and timeouts of at most 30 seconds. If TLS is required, no mail is sent
 * to a server without STARTTLS or with a certificate that cannot be verified.
 */
export function smtpTransport(
  url: string,
  sender: () => Sender,
  { requireTls, checkServerIdentity }: SmtpOptions,
): Transport {
  let mailer: Promise<ReturnType<typeof createTransport>> | undefined

  /** Nodemailer is imported on first use, which shortens the start. */
  async function open() {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      url,
      requireTLS: requireTls,
      ignoreTLS: !requireTls,
      pool: true,
      maxConnections: MAX_CONNECTIONS,
      connectionTimeout: 10_000,
      greetingTimeout: 10_000,
      socketTimeout: 30_000,
      disableFileAccess: true,
      disableUrlAccess: true,
      ...(checkServerIdentity && { tls: { checkServerIdentity } }),
    })
  }

  async function withMailer(work: (mailer: Awaited<ReturnType<typeof open>>) => Promise<unknown>): Promise<void> {
    mailer ??= open()
    try {
      await work(await mailer)
    } catch (error) {
      throw explainSmtpFailure(error, url)
    }
  }

  return {
    // As an object, the address is taken literally. A string would be parsed as a list of addresses.
    send: ({ to, ...mail }) =>
      withMailer((mailer) =>
        mailer.sendMail({ from: sender(), to: { name: '', address: to }, headers: HEADERS, ...mail }),
      ),
    check: () => withMailer((mailer) => mailer.verify()),
    close: () => void mailer?.then((opened) => opened.close()),
  }
}

/**
 * Whether a retry is useless: the server has refused this mail with a permanent negative reply (RFC 5321, section
 * 4.2.1: 5yz). A refused log-in is not permanent, since the settings can be corrected.
 */
export function isPermanent(error: unknown): boolean {
  if (!(error instanceof Error) || !('responseCode' in error)) return false
  const refusedLogIn = 'code' in error && error.code === 'EAUTH'
  return Number(error.responseCode) >= 500 && !refusedLogIn
}
