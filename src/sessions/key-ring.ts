import { importJWK, type JWK } from 'jose'
import type { Database } from '../database/database.ts'

type Key = Awaited<ReturnType<typeof importJWK>>

export interface KeyRing {
  /** The key that new tokens are signed with. */
  signer(): { kid: string; privateKey: Key }
  /** The public key of that name, also when another instance has just made it; undefined for a name nobody made. */
  find(kid: string): Promise<Key | undefined>
  /** The public half of every key that a living token may be signed with. */
  publicKeys(): JWK[]
  reload(): Promise<void>
}

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
      const newest = keys.find((key) => key.isCurrent) ?? keys[0]
      if (!newest) throw new Error('the database has no signing key')
      return newest
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
  const rows = await database.query.selectFrom('signing_keys').selectAll().orderBy('created_at', 'desc').execute()
  return Promise.all(
    rows.map(async ({ kid, private_jwk, retired_at }) => {
      const { d: _secret, ...half } = JSON.parse(private_jwk) as JWK
      const publicJwk = { ...half, kid, alg: 'EdDSA', use: 'sig' }
      return {
        kid,
        isCurrent: retired_at === null,
        publicJwk,
        publicKey: await importJWK(publicJwk, 'EdDSA'),
        privateKey: await importJWK(JSON.parse(private_jwk), 'EdDSA'),
      }
    }),
  )
}
