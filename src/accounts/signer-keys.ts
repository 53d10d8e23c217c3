import { createHash } from 'node:crypto'
import type { Query, Tx } from '../database/engine.ts'
import type { SecretBox } from '../proofs/secret-box.ts'
import type { FindSignerKey } from './password-hash.ts'

/** The name of a signer key in the hashes that were made with it. Does not reveal the key. */
export function signerKeyId(key: Uint8Array): string {
  return createHash('sha256').update('portico signer key').update(key).digest('hex').slice(0, 16)
}

const nameOf = (keyId: string) => `firebase-signer-key-${keyId}`

/** Stores the signer key of a Firebase project, once for all people of the project. It is encrypted. */
export async function storeSignerKey(tx: Tx, secretBox: SecretBox, key: Uint8Array): Promise<void> {
  const name = nameOf(signerKeyId(key))
  await tx
    .insertInto('secrets')
    .values({ name, value: secretBox.seal(name, key) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Reads signer keys. A key that an import stores while the service runs is found by the first log-in that needs it. */
export function createFindSignerKey(query: Query, secretBox: SecretBox): FindSignerKey {
  const known = new Map<string, Uint8Array>()
  return async (keyId) => {
    const key = known.get(keyId) ?? (await read(query, secretBox, nameOf(keyId)))
    if (key) known.set(keyId, key)
    return key
  }
}

async function read(query: Query, secretBox: SecretBox, name: string): Promise<Uint8Array | undefined> {
  const row = await query.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirst()
  return row && new Uint8Array(secretBox.open(name, row.value))
}
