import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerError } from 'smtp-server'
import { freePort } from './local-servers.ts'
import type { Service } from './service.ts'

export interface SmtpSink {
  url: string
  /** Every accepted mail in the order of arrival. */
  mails: ReceivedMail[]
  /** The number of delivery attempts, accepted or not. */
  offers: number
  firstOffer: Promise<void>
  mailsTo(email: string): ReceivedMail[]
  /** The mail that one request to a service causes: exactly one, and only to this address. */
  mailOf(service: Service, email: string, request: () => Promise<unknown>): Promise<ReceivedMail>
  /** From now on mails are refused with this code. Without a code they are accepted. */
  refuse(code?: number): void
  /** The response to each mail waits for this promise. */
  respondAfter(moment: Promise<unknown>): void
  /** Accepts connections and sends no greeting, until `down` is called. Resolves at the first connection. */
  mute(): Promise<void>
  /** Closes the listening socket. */
  down(): Promise<void>
  /** Listens again at the same address, if the server is down. */
  up(): Promise<void>
}

/**
 * A real SMTP server on this machine, without authentication, that stores the mails. With a key and certificate it
 * offers STARTTLS.
 */
export async function startSmtpSink(tls?: { key: string; cert: string }): Promise<SmtpSink> {
  let refusal: number | undefined
  let responseDelay: Promise<unknown> = Promise.resolve()
  let onMutedConnection: (() => void) | undefined
  const port = await freePort()
  let server: SMTPServer | undefined
  const { promise: firstOffer, resolve: offered } = Promise.withResolvers<void>()

  const sink: SmtpSink = {
    url: `smtp://127.0.0.1:${port}`,
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
    respondAfter(moment) {
      responseDelay = moment
    },
    mute: () =>
      new Promise((called) => {
        onMutedConnection = called
      }),
    async down() {
      onMutedConnection = undefined
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
      // A client that is killed resets its connection: that is no error of this server.
      server.on('error', () => {})
      server.listen(port, '127.0.0.1')
      await once(server.server, 'listening')
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
        if (onMutedConnection) onMutedConnection()
        else greet()
      },
      onRcptTo(_address, _session, response) {
        sink.offers += 1
        offered()
        response(refusal === undefined ? null : refused(refusal))
      },
      async onData(stream, session, response) {
        // A client that dies in the middle has sent no mail.
        const raw = await text(stream).catch(() => undefined)
        if (raw === undefined) return
        const { mailFrom, rcptTo } = session.envelope
        await responseDelay
        sink.mails.push({
          sender: mailFrom ? mailFrom.address : '',
          recipients: rcptTo.map(({ address }) => address),
          isEncrypted: session.secure,
          raw,
          ...parseMail(raw),
        })
        response()
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

/** The names of the headers that every mail has, in alphabetical order. A mail has no others. */
export const MAIL_HEADERS = [
  'auto-submitted',
  'content-type',
  'date',
  'from',
  'message-id',
  'mime-version',
  'subject',
  'to',
]

/** A mail as the mail server received it, and its decoded parts. */
export interface ReceivedMail extends ReadMail {
  sender: string
  recipients: string[]
  /** Whether it was received over TLS. */
  isEncrypted: boolean
  /** Headers and body as they were sent. */
  raw: string
}

interface ReadMail {
  /** Names in lower case, in their order. A repeated header has two entries. */
  headers: [name: string, value: string][]
  text: string
  html: string
}

/** Parses a mail of two alternative parts. Throws for any other. */
export function parseMail(raw: string): ReadMail {
  const { headers, body } = split(raw)
  const boundary = /^multipart\/alternative;.*boundary="([^"]+)"/s.exec(headerOf(headers, 'content-type'))?.[1]
  if (!boundary) throw new Error('the mail has no alternative parts')
  const [, ...parts] = body.split(`--${boundary}`)
  const [plain, rich, end, ...more] = parts
  if (plain === undefined || rich === undefined || !end?.startsWith('--') || more.length > 0) {
    throw new Error('the mail has another number of parts than two')
  }
  return { headers, text: contentOf(plain, 'text/plain'), html: contentOf(rich, 'text/html') }
}

export function headerOf(headers: ReadMail['headers'], name: string): string {
  const values = headers.filter(([key]) => key === name).map(([, value]) => value)
  if (values.length !== 1) throw new Error(`the mail has ${values.length} headers ${name}`)
  return values[0] as string
}

function split(raw: string): { headers: ReadMail['headers']; body: string } {
  const end = raw.indexOf('\r\n\r\n')
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return { headers, body: raw.slice(end + 4) }
}

function contentOf(part: string, type: string): string {
  const { headers, body } = split(part.replace(/^\r\n/, ''))
  if (!headerOf(headers, 'content-type').startsWith(`${type}; charset=utf-8`)) throw new Error(`no part is ${type}`)
  return decode(body, headerOf(headers, 'content-transfer-encoding')).replaceAll('\r\n', '\n')
}

function decode(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  if (encoding !== 'quoted-printable') return body
  const joined = body.replace(/=\r\n/g, '')
  const bytes = joined.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

/** A self-signed certificate for localhost, and its key. Only a test can make a client trust it. */
export const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgmUg3PGEXp5XP0BPT
xy1LKWlQZQ89h6cGUVkXGwL0K1WhRANCAARTQGKzXk3KgpoSHpakpfAcH0LCHS8v
j3Re6ocYymDpvdDoGsXBiP/+I+APWeY294AwX66scONQO82QdccG/n2X
-----END PRIVATE KEY-----`

export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBljCCATugAwIBAgIUY5x7iyo3WpyAUptJRJyV4nIMKFkwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNjAzMDIwMloYDzIxMjYxMDIz
MDMwMjAyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARTQGKzXk3KgpoSHpakpfAcH0LCHS8vj3Re6ocYymDpvdDoGsXBiP/+
I+APWeY294AwX66scONQO82QdccG/n2Xo2kwZzAdBgNVHQ4EFgQUQNWetEOvsHH6
nU9z8XV4doizfOwwHwYDVR0jBBgwFoAUQNWetEOvsHH6nU9z8XV4doizfOwwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SQAwRgIhAISZ/t87lrAq9OVSaNbkoaWZMGy0SVyOtSBF0PKWeBRWAiEAjda/g26e
9A9JkOuP2F4Rz4RHY6N9v7DQXprNnZdwRAc=
-----END CERTIFICATE-----`
