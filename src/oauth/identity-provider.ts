import * as openid from 'openid-client'
import type { Config } from '../config.ts'
import { Refusal } from '../http/refusal.ts'
import {
  allowHttp,
  authorizationParameters,
  fetchFromProvider,
  REQUEST_SECONDS,
  talkingToProvider,
  withoutSecrets,
} from './client.ts'
import { type Provider, providerUnreachable, splitName, textOf, titleOf } from './identity.ts'

/** Any OpenID Connect provider, found by discovery when it is first needed. */
export function identityProvider(
  { issuer, clientId, clientSecret }: NonNullable<Config['idp']>,
  redirectUri: string,
): Provider {
  let discovered: Promise<openid.Configuration> | undefined

  function discover(): Promise<openid.Configuration> {
    discovered ??= openid
      .discovery(new URL(issuer), clientId, clientSecret, byAnyMeans(clientSecret), {
        timeout: REQUEST_SECONDS,
        [openid.customFetch]: fetchFromProvider,
        // The ID token's signature is checked too, though it comes straight from the provider.
        execute: [...allowHttp(issuer), openid.enableNonRepudiationChecks],
      })
      .catch((cause) => {
        discovered = undefined
        // It has refused nobody: it does not say what it is, or not properly.
        throw new Refusal(providerUnreachable, { cause: withoutSecrets(cause) })
      })
    return discovered
  }

  return {
    name: 'idp',
    title: titleOf(issuer),
    authorizationUrl: (handshake) =>
      talkingToProvider('idp', async () =>
        openid.buildAuthorizationUrl(await discover(), {
          ...(await authorizationParameters(redirectUri, 'openid email profile', handshake)),
          nonce: handshake.nonce,
        }),
      ),
    identify: (callback, { state, codeVerifier, nonce }) =>
      talkingToProvider('idp', async () => {
        const config = await discover()
        const tokens = await openid.authorizationCodeGrant(config, callback, {
          expectedState: state,
          pkceCodeVerifier: codeVerifier,
          expectedNonce: nonce,
          idTokenExpected: true,
        })
        const claims = tokens.claims()
        if (!claims?.sub || claims.sub.includes('\0')) throw new Error('the provider does not say who it is')
        // Some providers tell the address only when they are asked for it.
        const said = claims.email ? claims : await openid.fetchUserInfo(config, tokens.access_token, claims.sub)
        const { email, email_verified, given_name, family_name, name, preferred_username, picture } = said as Claims
        const split = splitName(typeof name === 'string' ? name : '')
        return {
          provider: 'idp',
          issuer: claims.iss,
          subject: claims.sub,
          verifiedEmail: email_verified === true || email_verified === 'true' ? textOf(email) : undefined,
          firstName: textOf(given_name) || split.firstName,
          lastName: textOf(family_name) || split.lastName,
          username: textOf(preferred_username),
          avatar: textOf(picture),
        }
      }),
  }
}

/** The secret goes where the provider takes it; where it does not say, OpenID Connect means the header. */
function byAnyMeans(clientSecret: string): openid.ClientAuth {
  const [post, basic] = [openid.ClientSecretPost(clientSecret), openid.ClientSecretBasic(clientSecret)]
  return (server, ...rest) =>
    server.token_endpoint_auth_methods_supported?.includes('client_secret_post')
      ? post(server, ...rest)
      : basic(server, ...rest)
}

type Claims = Record<string, unknown>
