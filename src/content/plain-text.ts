// The characters that XML 1.0 (section 2.2, Char) excludes even when escaped: control characters, lone surrogates,
// U+FFFE and U+FFFF.
const NOT_XML_CHARACTERS = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu

/** Removes the characters that XML cannot represent. */
export function plainText(text: string): string {
  return text.replace(NOT_XML_CHARACTERS, '')
}
