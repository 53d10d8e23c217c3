/** The names of the headers that every mail has, in alphabetical order. A mail has no others. */
export const MAIL_HEADERS = ['content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to']

/** A mail as a mail server was given it, and as its reader sees it. */
export interface ReceivedMail extends ReadMail {
  sender: string
  recipients: string[]
  /** Whether it came over TLS. */
  isEncrypted: boolean
}

interface ReadMail {
  /** Names in lower case, in their order; a repeated header is there twice. */
  headers: [name: string, value: string][]
  text: string
  html: string
}

/** Reads a mail of two alternative parts, and refuses any other. */
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
