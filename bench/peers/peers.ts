import type { Work } from '../bench.ts'
import { beside } from './beside.ts'
import { betterAuth } from './better-auth.ts'
import { caddy } from './caddy.ts'
import { keycloak } from './keycloak.ts'
import { nginx } from './nginx.ts'
import type { Peer } from './peer.ts'
import { pocketBase } from './pocketbase.ts'

export const PEERS: Peer[] = [pocketBase, betterAuth, keycloak, nginx, caddy]

/** A work for each peer, under the name of the peer in lower case. */
export const PEER_WORKS: Record<string, Work> = Object.fromEntries(
  PEERS.map((peer) => [peer.name.toLowerCase(), beside(peer)]),
)
