const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/**
 * The other spellings of a token whose signature has the same bytes: the last of its 86 characters has four bits that
 * decode to nothing.
 */
export function otherSpellings(token: string): string[] {
  const last = ALPHABET.indexOf(token.at(-1) ?? '')
  return Array.from({ length: 16 }, (_, bits) => token.slice(0, -1) + ALPHABET[(last & ~15) | bits]).filter(
    (spelling) => spelling !== token,
  )
}
