import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const KEY_BYTES = 32
// NIST SP 800-38D, section 8.2.2: a random nonce of 96 bits for at most 2^32 encryptions with a key.
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** The version of the key that is derived from the database's key alone. */
const DATABASE_KEY = 'd'

export interface SecretBox {
  /** Encrypts a secret for one context: the id of its account or webhook, or the name of its key. */
  seal(context: string, secret: Uint8Array): string
  /** Decrypts a secret. Throws when it was encrypted for another context or with a key that is missing. */
  open(context: string, sealed: string): Buffer
}

/**
 * Encrypts secrets that the service must be able to read, with AES-256-GCM. The key is derived from the key in the
 * database and, when it is set, from ENCRYPTION_KEY: then a copy of the database alone does not reveal the secrets. A
 * sealed text names the version of its key, so that secrets from before ENCRYPTION_KEY was set stay readable. The
 * context is authenticated data (AAD): a secret that was copied to another row does not open.
 */
export function createSecretBox(databaseKey: Buffer, settingKey: Buffer | undefined): SecretBox {
  const keys = new Map([[DATABASE_KEY, derive(databaseKey)]])
  const current = settingKey ? versionOf(settingKey) : DATABASE_KEY
  if (settingKey) keys.set(current, derive(Buffer.concat([databaseKey, settingKey])))

  function keyOf(version: string): Buffer {
    const key = keys.get(version)
    if (!key) throw new Error('a secret was encrypted with another ENCRYPTION_KEY than the one that is set')
    return key
  }

  return {
    seal(context, secret) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, keyOf(current), nonce).setAAD(Buffer.from(context))
      const sealed = Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()])
      return `${current}.${sealed.toString('base64url')}`
    },
    open(context, sealed) {
      const [version = '', text = ''] = sealed.split('.')
      const bytes = Buffer.from(text, 'base64url')
      const nonce = bytes.subarray(0, NONCE_BYTES)
      const decipher = createDecipheriv(ALGORITHM, keyOf(version), nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
    },
  }
}

/** Whether a sealed secret can be opened with this ENCRYPTION_KEY and the key in its database. */
export function opensWith(settingKey: Buffer | undefined, sealed: string): boolean {
  const [version] = sealed.split('.', 1)
  return version === DATABASE_KEY || (settingKey !== undefined && version === versionOf(settingKey))
}

/** HKDF (RFC 5869). The info binds the key to this use. */
function derive(key: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', 'portico secret box 1', KEY_BYTES))
}

/** A name for the value of ENCRYPTION_KEY that does not reveal it. */
function versionOf(settingKey: Buffer): string {
  return `s${createHash('sha256').update('portico key version').update(settingKey).digest('hex').slice(0, 8)}`
}
