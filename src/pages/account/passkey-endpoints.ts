import type { Routes } from '../../http/routes.ts'
import type { AccountPageParts } from './parts.ts'
import { SECURITY_PATH } from './security/part.ts'

/**
 * Where password managers send a person to add and to manage passkeys:
 * https://w3c.github.io/webappsec-passkey-endpoints/
 */
export function servePasskeyEndpoints(
  app: Routes,
  { config, webauthn }: Pick<AccountPageParts, 'config' | 'webauthn'>,
) {
  if (!webauthn.relyingParty.isDomain) return
  const page = `${config.baseUrl}${SECURITY_PATH}#passkeys`
  app.get('/.well-known/passkey-endpoints', async (_request, reply) => {
    reply.header('Cache-Control', 'public, max-age=3600')
    return { enroll: page, manage: page }
  })
}
