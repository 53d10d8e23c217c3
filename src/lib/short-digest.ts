import type { Hash } from 'node:crypto'

/** The first 132 bits of a SHA-256 sum, as 22 characters that need no escaping in a URL, a header or a file name. */
export function shortDigest(sum: Hash): string {
  return sum.digest('base64url').slice(0, 22)
}
