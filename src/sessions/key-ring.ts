import { createPrivateKey, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import type { JWK } from 'jose'
import { importJWK } from 'jose/key/import'
import type { Database } from '../database/database.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { singleFlight } from '../lib/single-flight.ts'

interface Key {
  kid: string
  /** Ed25519: signs access tokens. */
  privateKey: KeyObject
  publicKey: Awaited<ReturnType<typeof importJWK>>
  /** HMAC-SHA-256: authenticates refresh tokens and browser tokens, which only this service verifies. */
  macKey: KeyObject
  /** Whether new refresh and browser tokens have a MAC. False while an instance may run that cannot verify it. */
  issuesMacs: boolean
}

export interface KeyRing {
  /** The key that new tokens are signed with. */
  signer(): Key
  /** The key with this id, or undefined. An unknown id reloads the keys, since another instance may have added one. */
  find(kid: string): MaybePromise<Key | undefined>
  /** The public key of every key that a valid token may be signed with. */
  publicKeys(): JWK[]
  reload(): Promise<void>
}

/** Every instance reloads the keys in this interval. An older key is known to all instances, so it may sign tokens. */
export const RELOAD_INTERVAL_MS = 60_000
const MIN_RELOAD_INTERVAL_MS = 1000

export async function openKeyRing(database: Database): Promise<KeyRing> {
  let keys: Awaited<ReturnType<typeof load>>
  /** An unknown key id starts no reload before this time, and joins one that runs. */
  let nextReloadAtMs = 0
  /** Rejects with the error of the newest load. Undefined if that has succeeded. */
  let failedLoad: Promise<never> | undefined
  const reload = singleFlight(async () => {
    nextReloadAtMs = 0
    try {
      keys = await load(database)
      failedLoad = undefined
    } catch (error) {
      failedLoad = Promise.reject(error)
      failedLoad.catch(() => {})
      throw error
    } finally {
      nextReloadAtMs = performance.now() + MIN_RELOAD_INTERVAL_MS
    }
  })
  await reload()

  const loadedKey = (kid: string) => keys.find((key) => key.kid === kid)

  return {
    signer() {
      // The newest key that every instance has loaded, else the oldest.
      const signer = keys.find((key) => key.isKnownEverywhere) ?? keys.at(-1)
      if (!signer) throw new Error('the database has no signing key')
      return signer
    },
    find(kid) {
      const key = loadedKey(kid)
      if (key) return key
      // Requests with unknown key ids cause one query a second at most, also while queries fail.
      if (performance.now() < nextReloadAtMs) return failedLoad
      return reload().then(() => loadedKey(kid))
    },
    publicKeys: () => keys.map((key) => key.publicJwk),
    reload,
  }
}

async function load(database: Database) {
  const { query, now } = database
  const rows = await query
    .selectFrom('signing_keys')
    .select(['kid', 'private_jwk', 'created_at', 'macs_from', now.as('now')])
    .orderBy('created_at', 'desc')
    .execute()
  return Promise.all(
    rows.map(async ({ kid, private_jwk, created_at, macs_from, now }) => {
      const privateJwk: JWK = JSON.parse(private_jwk)
      const { d: secret = '', ...publicPart } = privateJwk
      const publicJwk = { ...publicPart, kid, alg: 'EdDSA', use: 'sig' }
      return {
        kid,
        isKnownEverywhere: now - created_at > RELOAD_INTERVAL_MS,
        issuesMacs: macs_from <= now,
        publicJwk,
        publicKey: await importJWK(publicJwk, 'EdDSA'),
        privateKey: createPrivateKey({ key: { ...privateJwk }, format: 'jwk' }),
        macKey: deriveMacKey(secret),
      }
    }),
  )
}

const MAC_KEY_BYTES = 32
const MAC_KEY_INFO = 'portico: HS256 key for refresh tokens and browser cookies'

/**
 * Derives the MAC key from the private key by HKDF (RFC 5869). Both keys rotate together and are known to the same
 * instances. The MAC key reveals nothing about the private key. The private key has 256 bits of entropy, so HKDF needs
 * no salt (section 3.1).
 */
function deriveMacKey(secret: string): KeyObject {
  const bytes = hkdfSync('sha256', Buffer.from(secret, 'base64url'), '', MAC_KEY_INFO, MAC_KEY_BYTES)
  return createSecretKey(Buffer.from(bytes))
}
