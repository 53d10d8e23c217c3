import { parseStoredHash, UnusableHash } from '../accounts/stored-hash.ts'

const BCRYPT = /^\$2[aby]\$/
// passlib writes `$pbkdf2-sha256$29000$salt$key`, and `.` where other encodings of base64 have `+`.
const PASSLIB_PBKDF2 = /^\$pbkdf2(?:-(sha256|sha512))?\$(\d{1,9})\$([A-Za-z0-9./]+)\$([A-Za-z0-9./]+)$/
// The length of the key follows from the key.
const PBKDF2_WITH_LENGTH = /^(\$pbkdf2-(?:sha1|sha256|sha512)\$i=\d{1,9}),l=\d{1,4}(\$.*)$/

/**
 * Converts a hash of another system to the stored format. Known are the PHC string format and the formats of bcrypt and
 * passlib. Throws `UnusableHash` for an unknown format, and for a hash that would cost too much.
 */
export function storedFormat(hash: string): string {
  const stored = canonical(hash)
  parseStoredHash(stored)
  return stored
}

function canonical(hash: string): string {
  // 2a, 2b and 2y differ in bugs of old implementations, for passwords of more than 255 bytes or none.
  if (BCRYPT.test(hash)) return `$2b$${hash.slice(4)}`
  const [, digest = 'sha1', iterations, salt = '', key = ''] = PASSLIB_PBKDF2.exec(hash) ?? []
  if (iterations) return `$pbkdf2-${digest}$i=${iterations}$${salt.replaceAll('.', '+')}$${key.replaceAll('.', '+')}`
  return hash.replace(PBKDF2_WITH_LENGTH, '$1$2').replace(/={1,2}(?=\$|$)/g, '')
}

const BETTER_AUTH = /^([0-9a-f]{32}):([0-9a-f]{128})$/

/**
 * The stored format of a hash of better-auth: `salt:key` in hexadecimal, scrypt with N = 16384, r = 16, p = 1. The salt
 * is the hexadecimal text itself, and the password is normalised to NFKC.
 */
export function betterAuthHash(hash: string): string {
  const [, salt, key] = BETTER_AUTH.exec(hash) ?? []
  // An application may have replaced the hash of better-auth by one of its own.
  if (!salt || !key) return storedFormat(hash)
  return `$scrypt-nfkc$ln=14,r=16,p=1$${unpadded(Buffer.from(salt))}$${unpadded(Buffer.from(key, 'hex'))}`
}

/** The parameters of a Firebase project, from its console. */
export interface FirebaseParameters {
  signerKey: Uint8Array
  keyId: string
  saltSeparator: Uint8Array
  rounds: number
  memCost: number
}

/** The stored format of a hash of Firebase, of which hash and salt are in base64. */
export function firebaseHash(hash: string, salt: string, parameters: FirebaseParameters): string {
  const { keyId, saltSeparator, rounds, memCost } = parameters
  const wholeSalt = Buffer.concat([Buffer.from(salt, 'base64'), saltSeparator])
  return storedFormat(
    `$firebase-scrypt$ln=${memCost},r=${rounds},k=${keyId}$${unpadded(wholeSalt)}$${unpadded(Buffer.from(hash, 'base64'))}`,
  )
}

function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '')
}

export { UnusableHash }
