import type { Routes } from '../http/routes.ts'
import type { KeyRing } from './key-ring.ts'

/** The public keys, for other services that want to check our access tokens themselves. */
export function serveJwks(app: Routes, keys: KeyRing): void {
  app.get('/.well-known/jwks.json', async (_request, reply) => {
    reply.header('Cache-Control', 'public, max-age=300')
    return { keys: keys.publicKeys() }
  })
}
