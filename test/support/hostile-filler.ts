const BYTES = 30_000

/** As many of them as have so many bytes in UTF-8. */
export function filled(piece: string, bytes = BYTES): string {
  return piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)))
}

/** All Han characters in turn: a host name of them is the slowest to convert to Punycode. */
function han(bytes = BYTES): string {
  return Array.from({ length: Math.floor(bytes / 3) }, (_, index) =>
    String.fromCodePoint(0x4e00 + (index % 20_000)),
  ).join('')
}

/** Texts of 30 kB that make careless code slow, with one character at the end that keeps expressions from matching. */
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
  'nested brackets': `${filled('[', BYTES / 2)}${filled(']', BYTES / 2)}`,
  'markup characters': filled('<'),
  'an address of Han': `https://${han(BYTES - 10)}/`,
  'a path of another host': `//${han(BYTES - 10)}`,
  'a mail address': `a@${filled('a.', BYTES - 10)}`,
  'long labels': `a@${filled(`${'a'.repeat(63)}.`, BYTES - 10)}!`,
  hops: filled('127.0.0.1, '),
  'hops in IPv6': filled('[::ffff:127.0.0.1]:1, '),
  tags: filled('W/"a", '),
  'a user agent': filled('Mozilla/5.0 (Linux; Android 1) '),
}
