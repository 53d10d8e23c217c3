import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before } from 'node:test'
import { someone } from './accounts.ts'
import { type CallOptions, call, newEmail, PASSWORD, type Person } from './api.ts'
import { routesWithBody } from './api-description.ts'
import type { Service } from './service.ts'

/** JSON with this many levels. */
export const nested = (depth: number) => `${'{"deeper":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`
const bytes = (...values: number[]) => Buffer.from([...Buffer.from('{"bio":"'), ...values, ...Buffer.from('"}')])

/** Bodies that no route accepts, by their defect. */
export const INVALID_BODIES: [what: string, ...bodies: (string | Buffer)[]][] = [
  ['malformed JSON', '{"email":', '{"email":"a@example.com",}', "{'email':1}", '{} {}', 'email=a', 'NaN', '\0'],
  ['a JSON scalar', '""', '"text"', '7', '-1e999', 'true', 'false'],
  ['a list', '[]', '[{}]', '[["email","a@example.com"]]'],
  ['nesting deeper than 20 levels', nested(21), nested(5000), `{"bio":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
  // A stray byte, a cut character, an overlong slash, a surrogate and a code point past the last one.
  ['bytes that are not UTF-8', bytes(0xff), bytes(0xe2, 0x82), bytes(0xc0, 0xaf), bytes(0xed, 0xa0, 0x80)],
  ['another character set', bytes(0xf5, 0x80, 0x80, 0x80), Buffer.from('{"bio":"é"}', 'latin1'), utf16('{"bio":1}')],
]

/** Valid JSON (RFC 8259) in fields that no operation has. The fields are ignored. */
export const IGNORED_FIELDS = [
  '"__proto__":{"isAdmin":true}',
  '"constructor":{"prototype":{"isAdmin":true}}',
  '"prototype":{"isAdmin":true}',
  String.raw`"\u005f_proto__":{"isAdmin":true}`,
  String.raw`"other":"a\u0000b\u001f"`,
  String.raw`"ot\u0000her":1`,
  String.raw`"other":"\ud800"`,
  String.raw`"other":["\udc00\ud800"]`,
  String.raw`"\udfff":1`,
]

/** Content types that are not JSON. */
export const OTHER_CONTENT_TYPES = [
  'text/plain',
  'text/json',
  'text/plain; application/json',
  'application/x-www-form-urlencoded',
  'application/xml',
  'multipart/form-data; boundary=x',
  'application/jsonp',
  'application/merge-patch+json',
  'application/json, text/plain',
  'json',
  '/',
]

function utf16(text: string): Buffer {
  return Buffer.from(`\ufeff${text}`, 'utf16le')
}

/** A valid value for every field of every route. */
export const VALID_VALUES: Record<string, unknown> = {
  firstName: 'Grace',
  lastName: 'Hopper',
  email: newEmail(),
  username: 'grace.h',
  bio: 'Hello',
  dob: '1906-12-09',
  password: PASSWORD,
  newPassword: PASSWORD,
  confirmPassword: PASSWORD,
  currentPassword: 'Wrong-Horse-7',
  verificationCode: '123456',
  resetToken: '123456',
  mailedCode: '123456',
  code: '123456',
  token: '5f0c2b9e7a1d4836b0e4c9d27f61a853',
  invitation: '5f0c2b9e7a1d4836b0e4c9d27f61a853',
  newEmail: newEmail(),
  refreshToken: 'x',
  sessionId: randomUUID(),
  // A file cannot be sent as text or as any other JSON value.
  file: undefined,
  avatar: 'https://example.com/me.png',
  location: {},
  socialAccounts: [],
  preferences: {},
  provider: 'codehost',
  redirectTo: '/about',
  challenge: 'x',
  recoveryCode: '4T7XK-9QWZ2-M3V8C',
  passkey: {},
  id: randomUUID(),
  name: 'Laptop',
  rememberBrowser: true,
  isRequired: true,
  isConditional: true,
}

export function samplesFor({ fields }: { fields: string[] }): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, VALID_VALUES[field]]))
}

const FILLER_BYTES = 30_000

/** Repeats the text up to this many bytes in UTF-8. */
export function filled(piece: string, bytes = FILLER_BYTES): string {
  return piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)))
}

/** All Han characters in turn: a host name of them is the slowest to convert to Punycode. */
function han(bytes = FILLER_BYTES): string {
  return Array.from({ length: Math.floor(bytes / 3) }, (_, index) =>
    String.fromCodePoint(0x4e00 + (index % 20_000)),
  ).join('')
}

/** Texts of 30 kB for regular expressions with super-linear time. The last character keeps them from matching. */
export const FILLERS: Record<string, string> = {
  spaces: `a${filled(' ')}b`,
  tabs: `a${filled('\t')}b`,
  commas: filled(','),
  'commas and spaces': filled(', '),
  entries: filled('a,'),
  weights: filled('a;q=1,'),
  semicolons: filled(';'),
  'semicolons and spaces': `${filled('; ')}!`,
  letters: `${filled('a')}!`,
  capitals: filled('A'),
  digits: `${filled('1')}!`,
  'percent signs': filled('%41'),
  Han: han(),
  'combining marks': `a${filled('\u0301\u0323')}`,
  ligatures: filled('\ufdfa'),
  backslashes: filled('\\'),
  slashes: filled('/'),
  dots: `${filled('.')}!`,
  hyphens: `${filled('-')}!`,
  'equals signs': filled('='),
  ampersands: filled('&'),
  'pairs of a form': filled('a=b&'),
  'pairs of a cookie': filled('a=b; '),
  quotes: filled('"'),
  'opening brackets': filled('['),
  'nested brackets': `${filled('[', FILLER_BYTES / 2)}${filled(']', FILLER_BYTES / 2)}`,
  'markup characters': filled('<'),
  'an address of Han': `https://${han(FILLER_BYTES - 10)}/`,
  'a path of another host': `//${han(FILLER_BYTES - 10)}`,
  'a mail address': `a@${filled('a.', FILLER_BYTES - 10)}`,
  'long labels': `a@${filled(`${'a'.repeat(63)}.`, FILLER_BYTES - 10)}!`,
  hops: filled('127.0.0.1, '),
  'hops in IPv6': filled('[::ffff:127.0.0.1]:1, '),
  tags: filled('W/"a", '),
  'a user agent': filled('Mozilla/5.0 (Linux; Android 1) '),
}

export type BodyRoute = Awaited<ReturnType<typeof routesWithBody>>[number]

/** A signed-in person, every route that takes a body, and a function that sends a body as that person. */
export function withEveryBodyRoute(service: Service) {
  const parts = {} as { person: Person; routes: BodyRoute[] }
  before(async () => {
    parts.person = await someone(service)
    parts.routes = await routesWithBody(service)
    assert.ok(parts.routes.length >= 13)
  })
  return Object.assign(parts, {
    send: ({ method, path }: BodyRoute, body: unknown, options: CallOptions = {}) =>
      call(service, method, path, body, { as: parts.person, ...options }),
  })
}

/** The header of the forms below. */
export const WIRE_FORM = { 'content-type': 'multipart/form-data; boundary=b' }

/** A form as its bytes on the wire. The boundary is `b`. */
export function wireForm(...parts: (Buffer | string)[]): Buffer {
  return Buffer.concat([
    ...parts.flatMap((part) => [text('--b\r\n'), Buffer.from(part), text('\r\n')]),
    text('--b--\r\n'),
  ])
}

export const FILE_PART = 'Content-Disposition: form-data; name="file"; filename="me.png"\r\nContent-Type: image/png\r\n'

export const filePart = (file: Buffer) => Buffer.concat([text(`${FILE_PART}\r\n`), file])

const text = (words: string) => Buffer.from(words)

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/**
 * The other spellings of a token whose signature decodes to the same bytes. Some bits of the last character are not
 * used: four in the 86 characters of an Ed25519 signature, two in the 43 of an HMAC-SHA-256.
 */
export function otherSpellings(token: string): string[] {
  const signature = token.slice(token.lastIndexOf('.') + 1)
  const spellings = 2 ** ((signature.length * 6) % 8)
  const last = ALPHABET.indexOf(token.at(-1) ?? '')
  const first = last - (last % spellings)
  return Array.from({ length: spellings }, (_, bits) => token.slice(0, -1) + ALPHABET[first + bits]).filter(
    (spelling) => spelling !== token,
  )
}

/** URLs that must never be stored where a page uses them in a link or an image. */
export const HOSTILE_URLS = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  ' java\nscript:alert(1)',
  'java\tscript:alert(1)',
  '\u0001javascript:alert(1)',
  'javascript://example.com/%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'data:image/svg+xml;base64,PHN2Zy8+',
  'vbscript:msgbox(1)',
  'file:///etc/passwd',
  'ftp://example.com/x',
  'blob:https://example.com/0b5c',
  'view-source:https://example.com',
  'mailto:somebody@example.com',
  '//example.com/x',
  '/log-out',
  'example.com',
  'https://',
  // A browser on an https page resolves these as paths of that page's own site.
  'https:log-out',
  'https:/log-out',
  'https:\\\\example.com',
  'https://example.com\\@example.org',
  'https://exa mple.com/',
  'https://example.com/\r\nSet-Cookie: a=b',
  'https://example.com/\u0085',
  'https://example.com/\u2028x',
  'https://example.com/"onmouseover="alert(1)',
  'https://example.com/"><script>alert(1)</script>',
  'https://example.com/<b>',
  '',
  '   ',
]

export const HARMLESS_URLS = [
  'https://example.com',
  'http://example.com:8080/path?query=1&more#part',
  'https://münchen.example/straße',
  "https://example.com/Schrodinger's_cat",
  `https://example.com/${'a'.repeat(2048 - 'https://example.com/'.length)}`,
]
