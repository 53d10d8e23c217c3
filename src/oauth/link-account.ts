import { admitChange } from '../factors/admit-change.ts'
import { operation } from '../http/operation.ts'
import { invalid } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { reauthenticationRequired, requireRecentProof } from '../proofs/recent-proof.ts'
import { browserSecret } from './handshakes.ts'
import { providerUnreachable } from './identity.ts'
import { configured, notConfigured, type OAuthParts } from './parts.ts'
import { ProviderField } from './providers.ts'
import { localPath, ReturnPath } from './return-path.ts'

export function linkAccount(parts: OAuthParts) {
  const { database, providers, handshakes, handshakeCookie } = parts
  return operation({
    id: 'linkAccount',
    summary: 'Begin to link a provider to the account',
    message: 'Open the address to link the account',
    description:
      'Open data.url in the browser that received the cookie of this response. The provider sends it back to the ' +
      'callback, which links the identity to this account, whatever its e-mail address. The session that began it ' +
      'must still live then. Needs a recent proof of identity.',
    body: Type.Object({
      provider: ProviderField,
      redirectTo: Type.Optional(
        Type.String({
          ...ReturnPath,
          description: 'A path of this site that a browser ends up at, instead of /account/security',
          examples: ['/account'],
        }),
      ),
    }),
    data: Type.Object({
      url: Type.String({ format: 'uri', examples: ['https://codehost.example.com/login/oauth/authorize?state=x'] }),
    }),
    refusals: [notConfigured, reauthenticationRequired, providerUnreachable],
    limits: ['security'],
    async handle({ body, caller, request }) {
      await admitChange(parts, request, caller)
      const name = body.provider
      const provider = configured(providers, name)
      await requireRecentProof(database.query, parts, caller)
      const returnTo = localPath(body.redirectTo ?? '/account/security')
      if (!returnTo) throw invalid('redirectTo', 'invalid_format', 'Must be a path of this site, such as /account')
      const secret = browserSecret(handshakeCookie.read(request))
      const handshake = await handshakes.begin(name, secret, returnTo, caller)
      const { href } = await provider.authorizationUrl(handshake)
      return {
        data: { url: href },
        cookies: [handshakeCookie.set(secret)],
      }
    },
  })
}
