import { createHmac, randomBytes } from 'node:crypto'

// Standard Webhooks: a secret has 24 to 64 random bytes.
const SECRET_BYTES = 32

export function newSecret(): Buffer {
  return randomBytes(SECRET_BYTES)
}

/** The secret in the format that libraries for Standard Webhooks read. */
export function secretText(secret: Buffer): string {
  return `whsec_${secret.toString('base64')}`
}

interface SignedMessage {
  id: string
  /** In seconds since 1970. */
  timestamp: number
  body: string
}

/**
 * The header `webhook-signature`: a signature for each secret. A receiver accepts a message if one of them is right.
 */
export function signatureOf(secrets: Buffer[], { id, timestamp, body }: SignedMessage): string {
  return secrets
    .map((secret) => `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
    .join(' ')
}
