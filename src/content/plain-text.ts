// What XML cannot carry, not even escaped: control characters, lone surrogates and two that are no characters.
const NO_TEXT = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu

/** A text without the characters that have no place in one. */
export function plainText(text: string): string {
  return text.replace(NO_TEXT, '')
}
