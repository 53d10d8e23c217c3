import { generateKeyPairSync, randomUUID } from 'node:crypto'

/** A fresh Ed25519 key as the `signing_keys` table keeps it. */
export function newSigningKey() {
  const { privateKey } = generateKeyPairSync('ed25519')
  return { kid: randomUUID(), private_jwk: JSON.stringify(privateKey.export({ format: 'jwk' })) }
}
