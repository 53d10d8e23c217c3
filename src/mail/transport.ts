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
  /** Rejects when the server cannot be reached, or does not accept the log-in. Sends nothing. */
  check?(): Promise<void>
  close(): void
}

export interface Sender {
  name: string
  address: string
}

/** How many mails may be given to a transport at once: it sends all of them, and lets none wait. */
export const MAX_CONNECTIONS = 5

/**
 * Over SMTP, with a few connections kept open and no wait longer than half a minute. When TLS is required, a server without
 * STARTTLS or with a certificate that cannot be verified gets no mail.
 */
export function smtpTransport(url: string, sender: () => Sender, { requireTls }: { requireTls: boolean }): Transport {
  let mailer: Promise<ReturnType<typeof createTransport>> | undefined

  /** Loaded when it is first used: it is large, and the service starts without it. */
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
    })
  }

  async function using(work: (mailer: Awaited<ReturnType<typeof open>>) => Promise<unknown>): Promise<void> {
    mailer ??= open()
    try {
      await work(await mailer)
    } catch (error) {
      throw explainSmtpFailure(error, url)
    }
  }

  return {
    // As objects, the addresses are taken whole; as texts, they would be read as lists.
    send: ({ to, ...mail }) =>
      using((mailer) => mailer.sendMail({ from: sender(), to: { name: '', address: to }, ...mail })),
    check: () => using((mailer) => mailer.verify()),
    close: () => void mailer?.then((opened) => opened.close()),
  }
}

/** The server has said that it will never take this mail (RFC 5321: 5yz), so trying again has no use. */
export function isPermanent(error: unknown): boolean {
  if (!(error instanceof Error) || !('responseCode' in error)) return false
  const refusedLogIn = 'code' in error && error.code === 'EAUTH'
  return Number(error.responseCode) >= 500 && !refusedLogIn
}
