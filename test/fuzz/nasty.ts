import fc from 'fast-check'
import { HOSTILE_URLS, INVALID_BODIES, nested, OTHER_CONTENT_TYPES } from '../support/hostile-input.ts'

/** Texts that have broken other software: quotes, markup, paths, formats, line breaks, odd Unicode, great lengths. */
export const NASTY_TEXTS = [
  ...HOSTILE_URLS,
  ...['', ' ', '\t', '\r\n', '\n.\r\n', '\\'],
  ...'. .. - -- / % %00 %s%n %x%d {{7*7}} $1 ? :name `id` $(id) |id'.split(' '),
  ...[`' OR '1'='1`, `'; DROP TABLE users; --`, '" OR ""="', `\\'; select 1; --`],
  ...['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', ']]>', '<!--', '&lt;', '&#x0;'],
  ...['../../etc/passwd', '..\\..\\windows\\win.ini', 'file:///etc/passwd', 'C:\\', '/dev/null', 'CON'],
  ...'null undefined NaN true 0 -0 1e999 0x10 __proto__ constructor toString'.split(' '),
  ...['\0', 'a\0b', '\x1b[31m', '\x7f'],
  ...'\u0085|\u2028|\u2029|\ufeff|\u200b|\u202eevil|\ufffd|\uffff'.split('|'),
  ...['é', 'e\u0301', 'ﬃ', 'İ', 'ß', 'ı', 'Å', '٣', '１２３４５６', '👩‍👩‍👧‍👦', '😀', '\ud800', '\udc00', 'Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤'],
  ...['a@b', 'a@b.co,c@d.co', 'a@b.co\nBcc: c@d.co', '"a"@b.co', 'a@[127.0.0.1]', 'K@b.co', `${'a'.repeat(65)}@b.co`],
  ...['9999-12-31', '0000-00-00', '2000-02-30', '+275760-09-13', '1969-12-31T23:59:59Z', '2001-02-03T04:05:06+99:99'],
  ...['00000000-0000-0000-0000-000000000000', 'eyJhbGciOiJub25lIn0.e30.', 'a.b.c', '9'.repeat(400), '{"$ne":1}'],
  ...['A'.repeat(129), '😀'.repeat(130), 'x'.repeat(2049), 'x'.repeat(10_000), '\u0301'.repeat(1000)],
]

export const NASTY_VALUES: unknown[] = [
  ...[0, -0, -1, 1, 0.5, 101, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324, null, true, false],
  ...[[], {}, [[]], [null], { $ne: 1 }, { length: 1e9 }, { toString: 1 }, { toJSON: null }, ['a', 'a']],
]

/** Characters of every script, lone surrogates included, and plain ones more often. */
const character = fc
  .oneof({ weight: 2, arbitrary: fc.integer({ min: 0, max: 0x7f }) }, fc.integer({ min: 0x80, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code))
export const anyText = (minLength: number, maxLength: number) => fc.string({ unit: character, minLength, maxLength })

/** Any JSON value, more often a hostile one. */
export const nastyValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NASTY_TEXTS) },
  { weight: 2, arbitrary: fc.constantFrom(...NASTY_VALUES) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: anyText(0, 200) },
)

/** Whole bodies that are invalid for every route. */
export const nastyBody: fc.Arbitrary<string | Buffer> = fc.oneof(
  fc.constantFrom(...INVALID_BODIES.flatMap(([, ...bodies]) => bodies)),
  fc.constantFrom(
    '',
    'null',
    nested(20),
    '{}'.padEnd(65_536),
    '{}'.padEnd(65_537),
    '{"bio":"a","bio":"b"}',
    '\ufeff{}',
  ),
  fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
  fc.json({ maxDepth: 5 }),
)

export const nastyType: fc.Arbitrary<string> = fc.constantFrom(
  ...OTHER_CONTENT_TYPES,
  ...[
    'application/json; charset=utf-16',
    'application/json;charset="',
    'APPLICATION/JSON',
    'application/json;;;',
    '*/*',
    '',
  ],
)

/** A header value: the characters that HTTP allows there. */
const headerText = fc.oneof(
  fc.constantFrom(...NASTY_TEXTS.filter((text) => /^[\t\x20-\x7e\x80-\xff]*$/.test(text))),
  fc.stringMatching(/^[\x20-\x7e\x80-\xff]{0,80}$/),
)

/** Headers that some part of the service reads, with unexpected values. */
export const nastyHeader: fc.Arbitrary<[name: string, value: string]> = fc.oneof(
  header(
    'accept',
    'text/markdown',
    'text/markdown;q=1e9',
    'application/json;q=0',
    'a/b;q=0.5,,;',
    '*/*;q=-1',
    ','.repeat(4000),
  ),
  header('accept-encoding', 'br', 'gzip;q=0', 'identity;q=0', '*;q=0', 'br;q=NaN'),
  header('user-agent', 'Mozilla/5.0 (Linux; Android 14)', `Mozilla/5.0 ${'('.repeat(500)}`, 'x'.repeat(8000)),
  header('x-forwarded-for', '::1', '::ffff:127.0.0.1', '1.2.3.4, 5.6.7.8', '999.1.1.1', ','.repeat(500)),
  header('x-real-ip', 'fe80::1%eth0'),
  header('if-none-match', '*', 'W/"x"', '"', '"a", "b"'),
  header('if-modified-since', 'Thu, 01 Jan 1970 00:00:00 GMT', '9'.repeat(50)),
  header('range', 'bytes=0-0', 'bytes=-1', 'bytes=9-1', 'bytes=0-,0-,0-'),
  header('cookie', 'portico_session=x', 'a=b; a=c; =;;', `portico_sign_in=${'x'.repeat(5000)}`, 'a=%'),
  header('origin', 'null', 'https://evil.example', 'http://localhost:3000'),
  header('authorization', 'Bearer', 'Bearer  ', 'Basic YTpi', 'bearer x', `Bearer ${'a.'.repeat(20_000)}`),
  header('x-session-id', '00000000-0000-0000-0000-000000000000'),
  header('host', 'evil.example', 'a b', '[::1', ':0'),
)

function header(name: string, ...values: string[]): fc.Arbitrary<[string, string]> {
  return fc.tuple(fc.constant(name), fc.oneof(fc.constantFrom(...values), headerText))
}
