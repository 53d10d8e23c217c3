import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerError } from 'smtp-server'
import { parseMail, type ReceivedMail } from './received-mail.ts'
import type { Service } from './service.ts'

export interface SmtpSink {
  url: string
  /** Every mail that was accepted, in the order of their arrival. */
  mails: ReceivedMail[]
  /** How often a sender has come with a mail, accepted or not. */
  offers: number
  firstOffer: Promise<void>
  mailsTo(email: string): ReceivedMail[]
  /** The mail that one request to a service causes: exactly one, and to nobody but this address. */
  mailOf(service: Service, email: string, request: () => Promise<unknown>): Promise<ReceivedMail>
  /** From now on mails are refused with this code; without one they are accepted. */
  refuse(code?: number): void
  /** Each mail is answered only after this has ended. */
  holdUntil(moment: Promise<unknown>): void
  /** Callers are connected and never greeted, until it has been down. Ends when the first of them calls. */
  mute(): Promise<void>
  /** Nothing listens at the address any more. */
  down(): Promise<void>
  /** Listens again, at the same address, if it does not. */
  up(): Promise<void>
}

/** A real SMTP server on this machine, without log-in, that keeps what it is given. With a key and certificate it offers STARTTLS. */
export async function startSmtpSink(tls?: { key: string; cert: string }): Promise<SmtpSink> {
  let refusal: number | undefined
  let release: Promise<unknown> = Promise.resolve()
  let silenced: (() => void) | undefined
  let port = 0
  let server: SMTPServer | undefined
  const { promise: firstOffer, resolve: offered } = Promise.withResolvers<void>()

  const sink: SmtpSink = {
    url: '',
    mails: [],
    offers: 0,
    firstOffer,
    mailsTo: (email) => sink.mails.filter(({ recipients }) => recipients.includes(email)),
    async mailOf({ portico: { deliveryWorker } }, email, request) {
      await deliveryWorker.idle()
      const before = sink.mails.length
      await request()
      await deliveryWorker.idle()
      const [mail, ...others] = sink.mails.slice(before)
      assert.ok(mail)
      assert.deepEqual(others, [])
      assert.deepEqual(mail.recipients, [email])
      return mail
    },
    refuse(code) {
      refusal = code
    },
    holdUntil(moment) {
      release = moment
    },
    mute: () =>
      new Promise((called) => {
        silenced = called
      }),
    async down() {
      silenced = undefined
      if (!server) return
      const closed = once(server.server, 'close')
      server.close()
      for (const connection of server.connections) connection._socket.destroy()
      await closed
      server = undefined
    },
    async up() {
      if (server) return
      server = createServer()
      // A sender that is killed cuts its connection; that is its own affair.
      server.on('error', () => {})
      server.listen(port, '127.0.0.1')
      await once(server.server, 'listening')
      port = (server.server.address() as AddressInfo).port
      sink.url = `smtp://127.0.0.1:${port}`
    },
  }
  await sink.up()
  return sink

  function createServer() {
    return new SMTPServer({
      logger: false,
      ...tls,
      disabledCommands: tls ? ['AUTH'] : ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      onConnect(_session, greet) {
        if (silenced) silenced()
        else greet()
      },
      onRcptTo(_address, _session, answer) {
        sink.offers += 1
        offered()
        answer(refusal === undefined ? null : refused(refusal))
      },
      async onData(stream, session, answer) {
        // A sender that dies in the middle has sent nothing.
        const raw = await text(stream).catch(() => undefined)
        if (raw === undefined) return
        const { mailFrom, rcptTo } = session.envelope
        await release
        sink.mails.push({
          sender: mailFrom ? mailFrom.address : '',
          recipients: rcptTo.map(({ address }) => address),
          isEncrypted: session.secure,
          ...parseMail(raw),
        })
        answer()
      },
    })
  }
}

function refused(responseCode: number): SMTPServerError {
  return Object.assign(new Error('not now, or never'), { responseCode })
}

/** The code in the newest mail to an address. */
export function codeIn(sink: SmtpSink, email: string): string {
  const code = /^ {4}(\d{6})$/m.exec(sink.mailsTo(email).at(-1)?.text ?? '')?.[1]
  if (!code) throw new Error(`no code was mailed to ${email}`)
  return code
}
