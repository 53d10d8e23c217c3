import { generateKeyPairSync, randomUUID } from 'node:crypto'

/** Generates an Ed25519 key in the columns of the `signing_keys` table. */
export function newSigningKey() {
  const { privateKey } = generateKeyPairSync('ed25519')
  return { kid: randomUUID(), private_jwk: JSON.stringify(privateKey.export({ format: 'jwk' })) }
}
