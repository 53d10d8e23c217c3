const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Base 32 (RFC 4648, section 6) without padding, as authenticator apps expect a secret. */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let bitCount = 0
  for (const byte of bytes) {
    bits = (bits << 8) | byte
    bitCount += 8
    while (bitCount >= 5) {
      bitCount -= 5
      text += ALPHABET[(bits >>> bitCount) & 31]
    }
    bits &= (1 << bitCount) - 1
  }
  return bitCount > 0 ? text + ALPHABET[(bits << (5 - bitCount)) & 31] : text
}
