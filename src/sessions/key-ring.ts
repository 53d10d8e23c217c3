import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { JWK } from 'jose'
import { importJWK } from 'jose/key/import'
import type { Database } from '../database/database.ts'

type Key = Awaited<ReturnType<typeof importJWK>>

export interface KeyRing {
  /** The key that new tokens are signed with. */
  signer(): { kid: string; privateKey: KeyObject }
  /** The public key of that name, also when another instance has just made it; undefined for a name nobody made. */
  find(kid: string): Promise<Key | undefined>
  /** The public half of every key that a living token may be signed with. */
  publicKeys(): JWK[]
  reload(): Promise<void>
}

/** How often every instance looks for new keys: one that is older can be signed with, since all know it. */
export const RELOAD_ROUND = 60_000
const RELOAD_PAUSE = 1000

export async function openKeyRing(database: Database): Promise<KeyRing> {
  let keys: Awaited<ReturnType<typeof load>>
  let loadedAt = 0
  const reload = async () => {
    keys = await load(database)
    loadedAt = Date.now()
  }
  await reload()

  return {
    signer() {
      const signer = keys.find((key) => key.isKnownEverywhere) ?? keys.at(-1)
      if (!signer) throw new Error('the database has no signing key')
      return signer
    },
    async find(kid) {
      const known = () => keys.find((key) => key.kid === kid)?.publicKey
      // Made-up names must not make us ask the database without end.
      if (!known() && Date.now() - loadedAt > RELOAD_PAUSE) await reload()
      return known()
    },
    publicKeys: () => keys.map((key) => key.publicJwk),
    reload,
  }
}

async function load(database: Database) {
  const { query, now } = database
  const rows = await query
    .selectFrom('signing_keys')
    .select(['kid', 'private_jwk', 'created_at', now.as('now')])
    .orderBy('created_at', 'desc')
    .execute()
  return Promise.all(
    rows.map(async ({ kid, private_jwk, created_at, now }) => {
      const privateJwk: JWK = JSON.parse(private_jwk)
      const { d: _secret, ...half } = privateJwk
      const publicJwk = { ...half, kid, alg: 'EdDSA', use: 'sig' }
      return {
        kid,
        isKnownEverywhere: now - created_at > RELOAD_ROUND,
        publicJwk,
        publicKey: await importJWK(publicJwk, 'EdDSA'),
        privateKey: createPrivateKey({ key: { ...privateJwk }, format: 'jwk' }),
      }
    }),
  )
}
