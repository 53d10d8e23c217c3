const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/**
 * The other spellings of a token whose signature has the same bytes: some bits of the last character decode to nothing, four
 * in the 86 characters of an Ed25519 signature, two in the 43 of an HMAC-SHA-256.
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
