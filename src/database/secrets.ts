import { createHmac } from 'node:crypto'
import type { Query } from './engine.ts'

/** A secret that the migrations have created. */
export async function readSecret(query: Query, name: 'hash-key' | 'encryption-key'): Promise<Buffer> {
  const { value } = await query.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirstOrThrow()
  return Buffer.from(value, 'base64url')
}

/** HMAC-SHA-256 for stored values that are only compared, such as codes. All instances share the key. */
export async function openKeyedHash(query: Query): Promise<(text: string) => string> {
  const key = await readSecret(query, 'hash-key')
  return (text) => createHmac('sha256', key).update(text).digest('base64url')
}
