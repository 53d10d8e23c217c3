import type { ProviderName } from '../database/enumerations.ts'
import { publicOperation } from '../http/operation.ts'
import { invalid } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { browserSecret } from './handshakes.ts'
import { providerUnreachable } from './identity.ts'
import { configured, notConfigured, type OAuthParts } from './parts.ts'
import { localPath, ReturnPath } from './return-path.ts'

export function startSignIn(name: ProviderName, { providers, handshakes, handshakeCookie }: OAuthParts) {
  return publicOperation({
    id: `start${name === 'idp' ? 'Idp' : 'Codehost'}SignIn`,
    summary: 'Begin to sign in through a provider',
    description: 'Sends the browser to the provider, which sends it back to the callback.',
    query: Type.Object({
      redirect_to: Type.String({
        ...ReturnPath,
        default: '/',
        description: 'A path of this site to end up at',
        examples: ['/account'],
      }),
    }),
    redirects: true,
    isSafe: false,
    refusals: [notConfigured, providerUnreachable],
    async handle({ query, request }) {
      const provider = configured(providers, name)
      const returnTo = localPath(query.redirect_to)
      if (!returnTo) throw invalid('redirect_to', 'invalid_format', 'Must be a path of this site, such as /account')
      const secret = browserSecret(handshakeCookie.read(request))
      const handshake = await handshakes.begin(name, secret, returnTo)
      const { href } = await provider.authorizationUrl(handshake)
      return { redirect: href, cookies: [handshakeCookie.set(secret)] }
    },
  })
}
