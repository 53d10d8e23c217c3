/** JSON of so many levels. */
export const nested = (depth: number) => `${'{"deeper":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`
const bytes = (...values: number[]) => Buffer.from([...Buffer.from('{"bio":"'), ...values, ...Buffer.from('"}')])

/** Bodies that no route takes, by what is wrong with them. */
export const NOT_ACCEPTED: [what: string, ...bodies: (string | Buffer)[]][] = [
  ['malformed JSON', '{"email":', '{"email":"a@example.com",}', "{'email':1}", '{} {}', 'email=a', 'NaN', '\0'],
  ['a JSON scalar', '""', '"text"', '7', '-1e999', 'true', 'false'],
  ['a list', '[]', '[{}]', '[["email","a@example.com"]]'],
  ['nesting deeper than 20 levels', nested(21), nested(5000), `{"bio":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
  // A stray byte, a cut character, an overlong slash, a surrogate and a code point past the last one.
  ['bytes that are not UTF-8', bytes(0xff), bytes(0xe2, 0x82), bytes(0xc0, 0xaf), bytes(0xed, 0xa0, 0x80)],
  ['another character set', bytes(0xf5, 0x80, 0x80, 0x80), Buffer.from('{"bio":"é"}', 'latin1'), utf16('{"bio":1}')],
]

/** Valid JSON (RFC 8259) in fields that no operation names. It is ignored. */
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

/** Types of content that are not JSON. */
export const OTHER_TYPES = [
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
