import type { Routes } from '../http/routes.ts'
import type { KeyRing } from './key-ring.ts'

/** Serves the public keys as a JWK Set (RFC 7517, section 5), so that other services can verify access tokens. */
export function serveJwks(app: Routes, keys: KeyRing): void {
  app.get('/.well-known/jwks.json', async (_request, reply) => {
    reply.header('Cache-Control', 'public, max-age=300')
    return { keys: keys.publicKeys() }
  })
}
