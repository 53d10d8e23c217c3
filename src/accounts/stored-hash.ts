import { HASH_LIMITS } from './hash-limits.ts'

/** The computation of a hash thread on a password. */
export type HashWork =
  | {
      scheme: 'argon2'
      algorithm: 'argon2id' | 'argon2i' | 'argon2d'
      nonce: Uint8Array
      /** In KiB. */
      memory: number
      passes: number
      parallelism: number
      tagLength: number
    }
  | { scheme: 'scrypt'; salt: Uint8Array; cost: ScryptCost; keyLength: number; isNfkc: boolean }
  | { scheme: 'pbkdf2'; salt: Uint8Array; digest: string; iterations: number; keyLength: number }
  | { scheme: 'bcrypt'; setting: string }
  /** `signerKey` is that of a Firebase project. A stored hash names it by `keyId`. */
  | { scheme: 'firebase'; salt: Uint8Array; cost: ScryptCost; keyId: string; signerKey?: Uint8Array }

interface ScryptCost {
  N: number
  r: number
  p: number
}

/** The work that computes a hash from a password, and its result for the correct one. */
export interface StoredHash {
  work: HashWork
  expected: Uint8Array
}

/** A hash that has no known format, or that would cost more than `HASH_LIMITS` allow. The message says which. */
export class UnusableHash extends Error {}

const TEXT = '([A-Za-z0-9+/]+)'
const NUMBER = '(\\d{1,9})'
const ARGON2 = new RegExp(
  `^\\$(argon2id|argon2i|argon2d)\\$v=19\\$m=${NUMBER},t=${NUMBER},p=${NUMBER}\\$${TEXT}\\$${TEXT}$`,
)
const SCRYPT = new RegExp(`^\\$scrypt(-nfkc)?\\$ln=${NUMBER},r=${NUMBER},p=${NUMBER}\\$${TEXT}\\$${TEXT}$`)
const PBKDF2 = new RegExp(`^\\$pbkdf2-(sha1|sha256|sha512)\\$i=${NUMBER}\\$${TEXT}\\$${TEXT}$`)
const FIREBASE = new RegExp(`^\\$firebase-scrypt\\$ln=${NUMBER},r=${NUMBER},k=([0-9a-f]{16})\\$${TEXT}\\$${TEXT}$`)
const BCRYPT = /^(\$2b\$(\d\d)\$[./A-Za-z0-9]{22})([./A-Za-z0-9]{31})$/

const DIGEST_BYTES: Record<string, number> = { sha1: 20, sha256: 32, sha512: 64 }

/**
 * Parses a stored hash. Portico itself writes Argon2id. The other schemes are those of imported people. Each scheme has
 * one stored format: the PHC string format (https://github.com/P-H-C/phc-string-format), and for bcrypt its own with
 * the prefix `$2b$`. `scrypt-nfkc` is scrypt of a password that was normalised to Unicode NFKC before. The salt of
 * `firebase-scrypt` has the salt separator of the project at its end.
 */
export function parseStoredHash(hash: string): StoredHash {
  const parsed = parseArgon2(hash) ?? parseBcrypt(hash) ?? parseScrypt(hash) ?? parsePbkdf2(hash) ?? parseFirebase(hash)
  if (!parsed) throw new UnusableHash('the password hash has an unknown format')
  const { saltBytes, resultBytes } = HASH_LIMITS
  requireWithin('the result of the password hash', 'bytes', parsed.expected.length, resultBytes)
  if (parsed.work.scheme !== 'bcrypt') {
    const { salt, min } =
      parsed.work.scheme === 'argon2'
        ? { salt: parsed.work.nonce, min: HASH_LIMITS.argon2.minSaltBytes }
        : { salt: parsed.work.salt, min: saltBytes.min }
    requireWithin('the salt of the password hash', 'bytes', salt.length, { min, max: saltBytes.max })
  }
  return parsed
}

function parseArgon2(hash: string): StoredHash | undefined {
  const [, algorithm, m, t, p, salt = '', tag = ''] = ARGON2.exec(hash) ?? []
  if (!algorithm) return undefined
  const [memory, passes, parallelism] = [Number(m), Number(t), Number(p)]
  const limits = HASH_LIMITS.argon2
  requireWithin('the parallelism of Argon2', '', parallelism, limits.parallelism)
  // RFC 9106, section 3.1: at least 8 KiB for each lane.
  requireWithin('the memory of Argon2', 'KiB', memory, { min: 8 * parallelism, max: limits.memoryKib })
  requireWithin('memory times passes of Argon2', 'KiB', memory * passes, { min: 8, max: limits.memoryKibPasses })
  const expected = bytes(tag)
  return {
    work: {
      scheme: 'argon2',
      algorithm: algorithm as 'argon2id',
      nonce: bytes(salt),
      memory,
      passes,
      parallelism,
      tagLength: expected.length,
    },
    expected,
  }
}

function parseBcrypt(hash: string): StoredHash | undefined {
  const [, setting, cost, result = ''] = BCRYPT.exec(hash) ?? []
  if (!setting) return undefined
  requireWithin('the cost of bcrypt', '', Number(cost), HASH_LIMITS.bcryptCost)
  return { work: { scheme: 'bcrypt', setting }, expected: new TextEncoder().encode(result) }
}

function parseScrypt(hash: string): StoredHash | undefined {
  const [, nfkc, ln, r, p, salt = '', key = ''] = SCRYPT.exec(hash) ?? []
  if (!ln) return undefined
  const expected = bytes(key)
  const cost = scryptCost(Number(ln), Number(r), Number(p))
  const work = { scheme: 'scrypt', salt: bytes(salt), cost, keyLength: expected.length, isNfkc: Boolean(nfkc) } as const
  return { work, expected }
}

function parsePbkdf2(hash: string): StoredHash | undefined {
  const [, digest, i, salt = '', key = ''] = PBKDF2.exec(hash) ?? []
  if (!digest) return undefined
  const [iterations, expected] = [Number(i), bytes(key)]
  // RFC 8018, section 5.2: each block of the result takes all iterations.
  const blocks = Math.ceil(expected.length / (DIGEST_BYTES[digest] ?? 1))
  requireWithin('the number of iterations of PBKDF2', '', iterations * blocks, HASH_LIMITS.pbkdf2Iterations)
  return { work: { scheme: 'pbkdf2', digest, salt: bytes(salt), iterations, keyLength: expected.length }, expected }
}

function parseFirebase(hash: string): StoredHash | undefined {
  const [, ln, r, keyId, salt = '', result = ''] = FIREBASE.exec(hash) ?? []
  if (!keyId) return undefined
  const work = { scheme: 'firebase', salt: bytes(salt), cost: scryptCost(Number(ln), Number(r), 1), keyId } as const
  return { work, expected: bytes(result) }
}

function scryptCost(logN: number, r: number, p: number): ScryptCost {
  const limits = HASH_LIMITS.scrypt
  requireWithin('the block size r of scrypt', '', r, limits.blockSize)
  // RFC 7914, section 2: N is less than 2 ^ (128 * r / 8).
  const { min, max } = limits.logN
  requireWithin('the cost ln of scrypt', '', logN, { min, max: Math.min(max, 16 * r - 1) })
  const N = 2 ** logN
  requireWithin('the memory of scrypt', 'KiB', (N * r * 128) / 1024, { min: 1, max: limits.memoryKib })
  requireWithin('N times r times p of scrypt', '', N * r * p, { min: 1, max: limits.work })
  return { N, r, p }
}

function requireWithin(what: string, unit: string, value: number, { min, max }: { min: number; max: number }): void {
  if (value >= min && value <= max) return
  const allowed = `${value < min ? `the least is ${min}` : `the most is ${max}`}${unit && ` ${unit}`}`
  throw new UnusableHash(`${what} is ${value}, and ${allowed}`)
}

// A small Buffer is a view of Node's shared pool, and `postMessage` would clone the whole pool. A Uint8Array has an
// ArrayBuffer of its own.
function bytes(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, 'base64'))
}
