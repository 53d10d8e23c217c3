/**
 * Text for one line of a terminal or a mail: control characters, which may be escape sequences, line breaks and
 * bidirectional controls (UAX #9) become spaces.
 */
export function printable(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, ' ')
}
