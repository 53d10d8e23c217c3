import { randomBytes } from 'node:crypto'

const TOKEN_BYTES = 16
const TOKEN_PATTERN = /^[0-9a-f]{32}$/

/** A token of 128 random bits for a link in a mail. */
export function newLinkToken(): string {
  return randomBytes(TOKEN_BYTES).toString('hex')
}

/** Whether a text has the form of a token. */
export function isLinkToken(text: string): boolean {
  return TOKEN_PATTERN.test(text)
}
